"""Finds the modules that a plug-in imports from outside the standard library and installed packages, and theirs."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from stillproof.core.errors import PluginError
from stillproof.core.plain_reason import plain_reason
from stillproof.core.plugin_file import Helper, Plugin
from stillproof.core.source import PACKAGE, by_version, is_installed, parse, with_parents

PLUGIN = "__plugin__"  # what the plug-in is called while relative imports are looked up


@dataclass(frozen=True)
class _Place:
    """Where a module was found: its file, if it has one, and the folders that hold modules below it."""

    file: Path | None
    folders: Sequence[Path]


def read_plugin(path: Path) -> Plugin:
    """Read a plug-in file, with the modules that it imports."""
    try:
        source = path.read_text(encoding="utf-8")
        whole = path.resolve()
    except (OSError, UnicodeDecodeError) as error:
        raise PluginError(f"plug-in {path} cannot be read: {plain_reason(error)}.") from error
    try:
        imports = _imports(source, PLUGIN, is_package=True)
    except (SyntaxError, ValueError):  # what is wrong is said when it is loaded
        imports = ()
    helpers = _Search(whole).found(imports)
    return Plugin(path.name, source, str(whole), tuple(helpers[name] for name in sorted(helpers)))


def _imports(source: str, module: str, *, is_package: bool) -> tuple[str, ...]:
    """Return what a file imports, as the plug-in would write it."""
    return tuple(name.removeprefix(f"{PLUGIN}.") for name in parse(source, module, is_package=is_package).imports)


class _Search:
    """Looks for the modules of a plug-in's author: beside the file first, then wherever Python finds modules."""

    def __init__(self, plugin: Path) -> None:
        self.plugin = plugin
        self.places: dict[str, _Place | None] = {}

    def found(self, imports: Sequence[str]) -> dict[str, Helper]:
        """Return what these imports lead to, by name."""
        helpers: dict[str, Helper] = {}
        waiting = list(imports)
        while waiting:
            for name in with_parents(waiting.pop()):
                place = self._place(name)
                if place is None:
                    break
                if name not in helpers and place.file is not None:
                    for parent in with_parents(name):
                        if parent not in helpers:
                            helpers[parent] = self._read(parent)
                            waiting += self._imported_by(helpers[parent])
        return helpers

    def _imported_by(self, helper: Helper) -> tuple[str, ...]:
        try:
            return _imports(helper.source, f"{PLUGIN}.{helper.name}", is_package=helper.is_package)
        except (SyntaxError, ValueError) as error:
            what = f"{error.msg} in line {error.lineno}" if isinstance(error, SyntaxError) else plain_reason(error)
            asked = f"{helper.path}, which plug-in {self.plugin.name} imports,"
            raise PluginError(f"{asked} is not Python: {what}.") from error

    def _read(self, name: str) -> Helper:
        place = self.places[name]
        assert place is not None
        if place.file is None:  # a folder without an __init__.py
            return Helper(name, "", True, str(place.folders[0]))
        if place.file.suffix != ".py":
            raise PluginError(
                f"{place.file}, which plug-in {self.plugin.name} imports, is not Python source, so results cannot be "
                "named after it: install it as a package."
            )
        try:
            source = place.file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise PluginError(
                f"{place.file}, which plug-in {self.plugin.name} imports, cannot be read: {plain_reason(error)}."
            ) from error
        return Helper(name, source, place.file.stem == "__init__", str(place.file))

    def _place(self, name: str) -> _Place | None:
        """Return where a module is; nothing for what is no module, or not one of the author's."""
        if name not in self.places:
            above, _, last = name.rpartition(".")
            parent = self._place(above) if above else None
            if above:
                self.places[name] = _within(parent.folders, last) if parent is not None else None
            else:
                self.places[name] = self._root(name)
        return self.places[name]

    def _root(self, name: str) -> _Place | None:
        if not name or name == PACKAGE or name in sys.stdlib_module_names or by_version(name):
            return None
        beside = _within([self.plugin.parent], name)
        if beside is not None and beside.file == self.plugin:  # a helper that imports the plug-in back
            return None
        if beside is not None and beside.file is not None:
            return beside
        return _elsewhere(name) or beside


def _within(folders: Sequence[Path], name: str) -> _Place | None:
    """Return the module of a name in some folders: as Python does, a package before a file before a plain folder."""
    for folder in folders:
        if (init := folder / name / "__init__.py").is_file():
            return _Place(init, [folder / name])
        for suffix in (*EXTENSION_SUFFIXES, ".py"):
            if (file := folder / f"{name}{suffix}").is_file():
                return _Place(file, [])
    plain = [folder / name for folder in folders if name and (folder / name).is_dir()]
    return _Place(None, plain) if plain else None


def _elsewhere(name: str) -> _Place | None:
    """Return where Python finds a module, unless it is installed."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):  # a module that was made by hand, or a finder that objects
        return None
    if spec is None:
        return None
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    if spec.has_location and spec.origin is not None:
        return None if is_installed(Path(spec.origin)) else _Place(Path(spec.origin), folders)
    return _Place(None, folders) if folders and not any(map(is_installed, folders)) else None
