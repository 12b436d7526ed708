"""What is in another library: its attacks by their classes, and what these can be given."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from stillproof.attack.foreign.installed import module_of
from stillproof.attack.foreign.options import NEEDED
from stillproof.core.errors import BadInput

# Where a library has its attacks, and the class that they all are of.
HOMES = {
    "art": (".attacks.evasion", ".attacks.attack", "EvasionAttack"),
    "torchattacks": ("", ".attack", "Attack"),
    "foolbox": (".attacks", ".attacks.base", "Attack"),
}
ALWAYS_GIVEN = ("self", "classifier", "estimator", "model")  # to whatever is attacked


@functools.cache
def classes_of(library: str, install: str) -> dict[str, Any]:
    """Return the attacks of an installed library, by name.

    Args:
        library: One of ours in ``HOMES``.
        install: The command that installs it, for the case that it does not work.
    """
    home, base_home, base_name = HOMES[library]
    try:
        module, base = module_of(library, home), getattr(module_of(library, base_home), base_name)
    except ImportError as error:
        raise BadInput(f"{library} is installed, but cannot be imported ({error}): {install}") from error
    found = {name: getattr(module, name) for name in dir(module)}
    return {
        name: one
        for name, one in found.items()
        if inspect.isclass(one) and issubclass(one, base) and not inspect.isabstract(one) and one is not base
    }


def used_class(library: str, name: str) -> Any:
    """Return a class of a library that was found to have it."""
    return classes_of(library, "")[name]


@functools.cache
def _parameters_of(library: str, name: str) -> dict[str, Any]:
    every = inspect.signature(used_class(library, name).__init__).parameters.values()
    return {
        one.name: NEEDED if one.default is one.empty else one.default
        for one in every
        if one.name not in ALWAYS_GIVEN and one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    }


def parameters_of(library: str, name: str) -> dict[str, Any]:
    """Return what an attack can be given, with defaults, ``NEEDED`` where there is none."""
    return dict(_parameters_of(library, name))
