"""Third-party components: installed packages by entry point, single files by ``--plugin``."""

from __future__ import annotations

import hashlib
import linecache  # so that traces show the lines of plug-ins, whose files a worker may not see
import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from stillproof.core.components import REGISTRIES
from stillproof.core.errors import PluginError
from stillproof.core.index import scan
from stillproof.core.plain_reason import plain_reason

log = logging.getLogger("stillproof")


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plug-in file by value: its bytes travel to worker processes, which may not see the file."""

    name: str
    source: str

    @property
    def module(self) -> str:
        """Return the name that the plug-in is imported under."""
        return f"stillproof_plugin_{hashlib.sha256(self.source.encode()).hexdigest()[:12]}"


def read_plugin(path: Path) -> Plugin:
    """Read a plug-in file."""
    try:
        return Plugin(path.name, path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise PluginError(f"plug-in {path} cannot be read: {plain_reason(error)}.") from error


def load_plugin(plugin: Plugin) -> None:
    """Import a plug-in and enter what it registers.

    Raises:
        PluginError: It does not import; nothing of it is left behind.
    """
    if plugin.module in sys.modules:
        return
    module = ModuleType(plugin.module)
    module.__dict__["__plugin_source__"] = plugin.source
    sys.modules[plugin.module] = module
    try:
        found = scan(plugin.source, module=plugin.module, origin=plugin.name, filename=plugin.name)
        for registry in REGISTRIES.values():
            registry.add([entry for entry in found if entry.kind == registry.plural])
        linecache.cache[plugin.name] = (len(plugin.source), None, plugin.source.splitlines(True), plugin.name)
        exec(compile(plugin.source, plugin.name, "exec"), module.__dict__)  # the user named this file
    except Exception as error:  # whatever a stranger's file raises, the rest must go on working
        for registry in REGISTRIES.values():
            registry.remove(plugin.module)
        del sys.modules[plugin.module]
        raise PluginError(f"plug-in {plugin.name} cannot be loaded: {type(error).__name__}: {error}.") from error


def load_plugins(plugins: Sequence[Plugin]) -> list[Plugin]:
    """Load and return every plug-in that can be loaded; warn of the others."""
    loaded = []
    for plugin in plugins:
        try:
            load_plugin(plugin)
            loaded.append(plugin)
        except PluginError as error:
            log.warning("%s Its components are left out.", error)
    return loaded


def index_entry_points() -> None:
    """Enter the components of installed packages, by reading their files; warn of those that cannot be read."""
    for plural, point in installed_plugins():
        try:
            source, filename = _entry_point_source(point)
            found = scan(source, module=point.module, origin=point.name, filename=filename)
            REGISTRIES[plural].add([entry for entry in found if entry.kind == plural])
        except Exception as error:  # a broken package must not break the rest
            log.warning("plug-in %s cannot be read: %s. Its components are left out.", point.value, error)


def import_entry_points() -> None:
    """Import installed plug-ins, so that one that raises is known, and dropped, before anything is planned."""
    for plural, point in installed_plugins():
        try:
            point.load()
        except Exception as error:  # a broken package must not break the rest
            REGISTRIES[plural].remove(point.module)
            log.warning("plug-in %s cannot be loaded: %s. Its components are left out.", point.value, error)


def installed_plugins() -> list[tuple[str, EntryPoint]]:
    """Return the entry points of installed packages for components, each with the kind's plural."""
    every = entry_points()  # asked once: for each group alone, the files of all installed packages are read again
    return [(plural, point) for plural in REGISTRIES for point in every.select(group=f"stillproof.{plural}")]


def _entry_point_source(point: EntryPoint) -> tuple[str, str]:
    spec = find_spec(point.module)
    if spec is None or spec.origin is None:
        raise PluginError(f"module {point.module} is not installed")
    return Path(spec.origin).read_text(encoding="utf-8"), spec.origin
