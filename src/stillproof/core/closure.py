"""Which source files decide what a component does: its own, those that it imports, and those of components it names."""

from __future__ import annotations

import ast
import functools
import importlib.util
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "stillproof"
# Where the registries can be imported from; a file that imports one may build components by name.
REGISTRIES_COME_FROM = (PACKAGE, f"{PACKAGE}.core.components", f"{PACKAGE}.plugin")
PASS_ON = (PACKAGE, f"{PACKAGE}.plugin")  # define nothing themselves
ASKED = ("stages", "suites", "datasets")  # not built inside a component: cells and contents have names of their own
NAME = re.compile(r"[:(]")  # ends the name in a reference such as dm:steps=10


@dataclass(frozen=True, slots=True)
class Code:
    """One file: its text, the modules that it imports, and texts that may name components, by registry."""

    text: str
    imports: tuple[str, ...]
    named: tuple[tuple[str, str], ...]


def closure(module: str, text: str | None = None) -> dict[str, Code]:
    """Return the files behind a module, sorted by the names of their modules.

    Only files of Stillproof and of the module's own package count; records name the versions of other packages.
    ``text`` is the source of a module that has no file.
    """
    root = code_of(module) if text is None else parse(text, module)
    return {} if root is None else dict(sorted(_closure(module, root).items()))


@functools.cache
def _closure(module: str, root: Code) -> dict[str, Code]:
    packages = (PACKAGE, module.partition(".")[0])
    found = {module: root}
    waiting = [*root.imports, *_used_by_name(root)]
    while waiting:
        name = waiting.pop()
        if name in found or name.partition(".")[0] not in packages or (code := code_of(name)) is None:
            continue
        found[name] = code
        waiting += [*code.imports, *_used_by_name(code)]
    return found


def _used_by_name(code: Code) -> Iterator[str]:
    """Yield the modules of the components that a file names, and of the components that these name in turn."""
    from stillproof.core.components import REGISTRIES

    waiting = [(kind, text) for kind, text in code.named if kind in REGISTRIES and kind not in ASKED]
    seen = set()
    while waiting:
        kind, text = waiting.pop()
        entry = REGISTRIES[kind].entries().get(NAME.split(text, maxsplit=1)[0])
        if entry is not None and (kind, text) not in seen:
            seen.add((kind, text))
            yield entry.module
            waiting += [(other, value) for other, value in entry.named_in(text) if other in REGISTRIES]


@functools.cache
def code_of(module: str) -> Code | None:
    """Return the code of a module, read but not run; nothing if it has no source file."""
    loaded = sys.modules.get(module)
    if loaded is not None and hasattr(loaded, "__plugin_source__"):
        return parse(str(loaded.__plugin_source__), module)
    path = file_of(module)
    if path is None:
        return None
    return parse(path.read_text(encoding="utf-8"), module, is_package=path.name == "__init__.py")


@functools.cache
def file_of(module: str) -> Path | None:
    """Return the source file of a module, without importing anything."""
    package, *rest = module.split(".")
    if package == "__main__":
        script = getattr(sys.modules[package], "__file__", None)
        return Path(script) if script else None
    base = importlib.util.find_spec(package)
    if base is None or base.origin is None:
        return None
    origin = Path(base.origin)
    path = origin.parent.joinpath(*rest)
    candidates = (path.with_suffix(".py"), path / "__init__.py") if rest else (origin,)
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def parse(text: str, module: str, *, is_package: bool = False) -> Code:
    """Return what a source file imports and names."""
    nodes = list(_walk(ast.parse(text)))
    imports: list[str] = []
    registries = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            imports += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            origin = _absolute(node, module, is_package)
            for alias in node.names:
                imports += _homes(origin, alias.name)
            registries |= {alias.name for alias in node.names if origin in REGISTRIES_COME_FROM}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == PACKAGE:
            registries.add(node.attr)  # as in stillproof.recipes.build
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    named = sorted((kind, value) for kind in registries for value in texts)
    return Code(text, tuple(dict.fromkeys(imports)), tuple(named))


def _homes(origin: str, name: str) -> list[str]:
    """Return the modules that importing ``name`` from ``origin`` reads; what is only passed on comes from its home."""
    home = passed_on(origin).get(name) if origin in PASS_ON else None
    return [home.module, f"{home.module}.{home.name}"] if home else [origin, f"{origin}.{name}"]


@dataclass(frozen=True, slots=True)
class Home:
    """Where something is defined."""

    module: str
    name: str


@functools.cache
def passed_on(module: str) -> dict[str, Home]:
    """Return the names that a module imports from elsewhere, also those that only type checkers see it import."""
    path = file_of(module)
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if path is not None else ()
    found = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    return {alias.asname or alias.name: Home(node.module or "", alias.name) for node in found for alias in node.names}


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes except what only type checkers see and the names that classes are registered under."""
    yield node
    children: list[ast.AST] = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
        children = [*node.orelse]
    elif isinstance(node, ast.ClassDef):
        children = [child for child in children if not _registers(child)]
    for child in children:
        yield from _walk(child)


def _registers(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "register"


def _absolute(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    base = parts[: len(parts) - node.level + (1 if is_package else 0)]
    return ".".join([*base, *([node.module] if node.module else [])])
