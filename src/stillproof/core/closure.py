"""Which source files decide what a component does: its own, all that they import, and components they use by name."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from stillproof.core.source import PACKAGE, Code, code_of, is_from_outside, parse

ASKED = (
    "stages",
    "suites",
    "datasets",
    "metrics",
    "executors",
)  # are asked and not built inside: cells and contents have names of their own
# Keep and show numbers, and decide none: neither these nor what they alone import is behind a component.
NEVER = tuple(f"{PACKAGE}.{name}" for name in ("store", "report", "run.attacked_picture"))
NAME = re.compile(r"[:(]")  # ends the name in a reference such as dm:steps=10


def closure(module: str, text: str | None = None) -> dict[str, Code]:
    """Return the files behind a module, by the names of their modules, in order of these.

    They are those of Stillproof, of the module's own package, of plug-ins whose components it uses by name and, behind
    a user's module, all others that are neither of the standard library nor installed; installed packages count by
    their versions, in records. Files that only keep or show numbers are left out. A ``text`` stands for the file of a
    module that has none.
    """
    root = code_of(module) if text is None else parse(text, module)
    return {} if root is None else dict(sorted(_closure(module, root).items()))


@functools.cache
def _closure(module: str, root: Code) -> dict[str, Code]:
    packages = {PACKAGE, module.partition(".")[0]}
    theirs = packages != {PACKAGE}
    found = {module: root}
    waiting = list(_next(root, packages))
    while waiting:
        name = waiting.pop()
        if name in found or not _counts(name, packages, theirs) or (code := code_of(name)) is None:
            continue
        found[name] = code
        waiting += _next(code, packages)
    return found


def _counts(module: str, packages: set[str], theirs: bool) -> bool:
    """Say whether a module is behind one of this package, or one of a user's, which ``theirs`` says."""
    inside = any(module == package or module.startswith(f"{package}.") for package in NEVER)
    return not inside and (module.partition(".")[0] in packages or (theirs and is_from_outside(module)))


def _next(code: Code, packages: set[str]) -> Iterator[str]:
    """Yield the modules that a file leads to; the packages of components that it uses by name are taken in."""
    yield from code.imports
    for name in _used_by_name(code):
        packages.add(name.partition(".")[0])
        yield name


def _used_by_name(code: Code) -> Iterator[str]:
    """Yield the modules of the components that a file names, and of those that they name in turn."""
    from stillproof.core.components import REGISTRIES

    waiting = [(kind, text) for kind, text in code.named if kind in REGISTRIES and kind not in ASKED]
    seen = set()
    while waiting:
        kind, text = waiting.pop()
        entry = REGISTRIES[kind].find(NAME.split(text, maxsplit=1)[0])
        if entry is not None and (kind, text) not in seen:
            seen.add((kind, text))
            yield entry.module
            waiting += [(other, value) for other, value in entry.named_in(text) if other in REGISTRIES]
