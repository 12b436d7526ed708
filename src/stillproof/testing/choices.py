"""Uses a component once with every value that a parameter of its allows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from stillproof.core.errors import StillproofError
from stillproof.core.reference import parse_reference
from stillproof.core.registry import Registry
from stillproof.core.validate import choices
from stillproof.testing.checks import Broken, CannotBeChecked

TITLE = "every value that its parameters allow works, or is refused in a sentence"


def choices_of(registry: Registry[Any], name: str) -> dict[str, list[Any]]:
    """Return the values that are tried, by parameter; short names of a family have nothing to add to its own name."""
    called = parse_reference(name)[0]
    return choices(registry.get(called)) if called == registry.entry(called).family else {}


def try_every_choice(registry: Registry[Any], name: str, use: Callable[[Mapping[str, Any]], object]) -> None:
    """Hand ``use`` every value that a ``Literal`` among the parameters lists, each by itself.

    Raises:
        Broken: A value is allowed, and ends in an error that is not for users.
        CannotBeChecked: No parameter lists its values.
    """
    listed = choices_of(registry, name)
    if not listed:
        raise CannotBeChecked
    for parameter, values in listed.items():
        for value in values:
            try:
                use({parameter: value})
            except StillproofError:  # it may not go with the other parameters, and says so
                continue
            except Exception as error:  # a stranger's component may raise anything
                raise Broken(f"{parameter}={value} is allowed, but ends in {type(error).__name__}: {error}") from error
