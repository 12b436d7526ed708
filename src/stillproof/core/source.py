"""Reads what a source file imports and which components it may name, without running it."""

from __future__ import annotations

import ast
import functools
import importlib.util
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from stillproof.core.plugin_file import Plugin

PACKAGE = "stillproof"
# Where the registries can be imported from; a file that imports one may build components by name.
REGISTRIES_COME_FROM = (PACKAGE, f"{PACKAGE}.core.components", f"{PACKAGE}.plugin")
PASS_ON = (PACKAGE, f"{PACKAGE}.plugin")  # define nothing themselves
BY_VERSION = ("torch", "numpy", "scipy", "sklearn")  # of which records keep the versions, wherever they are installed
INSTALLED = ("site-packages", "dist-packages")


@dataclass(frozen=True, slots=True)
class Code:
    """One file: its text, the modules that it imports, and texts that may name components, by registry."""

    text: str
    imports: tuple[str, ...]
    named: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Home:
    """Where something is defined."""

    module: str
    name: str


@functools.cache
def code_of(module: str) -> Code | None:
    """Return the code of a module, read but not run; nothing if it has no source file."""
    plugin = getattr(sys.modules.get(module.partition(".")[0]), "__plugin__", None)
    if isinstance(plugin, Plugin):
        return _code_in(plugin, module)
    path = file_of(module)
    if path is None:
        return None
    return parse(path.read_text(encoding="utf-8"), module, is_package=path.name == "__init__.py")


def _code_in(plugin: Plugin, module: str) -> Code | None:
    """Return the code of a plug-in or of what came with it."""
    helper = plugin.modules.get(module)
    if helper is None:
        return None
    code = parse(helper.source, module, is_package=helper.is_package)
    imports = [part for name in code.imports for part in with_parents(plugin.imported_as(name))]
    return replace(code, imports=tuple(dict.fromkeys(imports)))


def with_parents(module: str) -> Iterator[str]:
    """Yield ``a``, ``a.b`` and ``a.b.c`` of ``a.b.c``, all of which are imported for it."""
    parts = module.split(".")
    yield from (".".join(parts[: n + 1]) for n in range(len(parts)))


def by_version(module: str) -> bool:
    """Say whether a module counts by the version that records keep of it."""
    return module.partition(".")[0] in BY_VERSION


def is_installed(file: Path) -> bool:
    """Say whether a file is one of the standard library or of an installed package."""
    return any(name in file.parts for name in INSTALLED) or any(file.is_relative_to(one) for one in _standard_library())


@functools.cache
def _standard_library() -> tuple[Path, ...]:
    found = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
    return tuple({path for one in found for path in (Path(one), Path(one).resolve())})


def is_from_outside(module: str) -> bool:
    """Say whether a module is a file of the user's own: neither of this package, nor of one that is installed."""
    root = module.partition(".")[0]
    if root == PACKAGE or root in sys.stdlib_module_names or by_version(module):
        return False
    file = file_of(module)
    return file is not None and file.is_file() and not is_installed(file)


def loaded_from_outside(modules: Iterable[str]) -> list[tuple[str, Path]]:
    """Return those of some loaded modules that are files of the user's own, and where they are."""
    theirs = [name for name in modules if not hasattr(sys.modules.get(name.partition(".")[0]), "__plugin__")]
    return [(name, file) for name in sorted(theirs) if is_from_outside(name) and (file := file_of(name)) is not None]


@functools.cache
def file_of(module: str) -> Path | None:
    """Return the source file of a module, without importing anything."""
    loaded = getattr(sys.modules.get(module), "__file__", None)
    if loaded is not None:
        return Path(loaded) if loaded.endswith(".py") else None
    package, *rest = module.split(".")
    try:
        base = importlib.util.find_spec(package) if package != "__main__" else None
    except ValueError:  # a module that was made by hand
        base = None
    if base is None:
        return None
    folders = [Path(folder) for folder in base.submodule_search_locations or ()]
    if not rest:
        candidates = [Path(base.origin)] if base.origin else []
    else:
        below = [folder.joinpath(*rest) for folder in folders]
        candidates = [path for one in below for path in (one.with_suffix(".py"), one / "__init__.py")]
    return next((path for path in candidates if path.suffix == ".py" and path.is_file()), None)


@functools.cache
def passed_on(module: str) -> dict[str, Home]:
    """Return the names that a module imports from elsewhere, including those that only type checkers see it import."""
    path = file_of(module)
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if path is not None else ()
    found = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    return {alias.asname or alias.name: Home(node.module or "", alias.name) for node in found for alias in node.names}


def parse(text: str, module: str, *, is_package: bool = False) -> Code:
    """Return what a source file imports and names."""
    nodes = list(_walk(ast.parse(text)))
    used = _Used()
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                used.module(alias.name, alias.asname)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                used.name(_absolute(node, module, is_package), alias.name, alias.asname)
    for node in nodes:
        if isinstance(node, ast.Attribute) and (dotted := _dotted(node)):
            used.attribute(dotted)
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    named = sorted((kind, value) for kind in used.registries for value in texts)
    return Code(text, tuple(dict.fromkeys(used.imports)), tuple(named))


@dataclass
class _Used:
    """What a file uses of other modules, however it imports them."""

    imports: list[str] = field(default_factory=list)
    registries: set[str] = field(default_factory=set)
    modules: dict[str, str] = field(default_factory=dict)  # what a name in the file stands for

    def module(self, name: str, called: str | None) -> None:
        if name not in PASS_ON:  # of these only what is taken from them counts
            self.imports.append(name)
        self.modules[called or name.partition(".")[0]] = name if called else name.partition(".")[0]

    def name(self, origin: str, name: str, called: str | None = None) -> None:
        home = passed_on(origin).get(name) if origin in PASS_ON else None
        self.imports += [home.module, f"{home.module}.{home.name}"] if home else [origin, f"{origin}.{name}"]
        if origin in REGISTRIES_COME_FROM:
            self.registries.add(name)
        self.modules[called or name] = f"{origin}.{name}"

    def attribute(self, dotted: str) -> None:
        """Look at ``sp.recipes.build`` where ``sp`` is a module that passes names on, or that has the registries."""
        root, *rest = dotted.split(".")
        stands_for = self.modules.get(root, "")
        whole = ".".join((stands_for, *rest))
        for origin in REGISTRIES_COME_FROM:
            name = whole.removeprefix(f"{origin}.").partition(".")[0]
            # What was taken from inside is known already: stillproof.attack.base is no use of stillproof.attack.
            inside = stands_for.startswith(f"{origin}.")
            if whole.startswith(f"{origin}.") and not inside and (origin not in PASS_ON or name in passed_on(origin)):
                self.name(origin, name)


def _dotted(node: ast.expr) -> str:
    """Return ``a.b.c`` as text; nothing for what does not begin with a name."""
    if isinstance(node, ast.Name):
        return node.id
    inner = _dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{inner}.{node.attr}" if isinstance(node, ast.Attribute) and inner else ""


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes, but for what only type checkers see, and for the names that classes are registered under."""
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
