"""Third-party components: installed packages by entry point, single files by ``--plugin``."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

from stillproof.core.components import REGISTRIES
from stillproof.core.errors import PluginError
from stillproof.core.helper_imports import code_object, module_of, shown_path
from stillproof.core.helpers import read_plugin as read_plugin
from stillproof.core.index import scan
from stillproof.core.package_guard import Replaced, package_as_it_is
from stillproof.core.plugin_file import Plugin as Plugin
from stillproof.core.source import loaded_from_outside

log = logging.getLogger("stillproof")


def load_plugin(plugin: Plugin) -> None:
    """Import a plug-in and enter what it registers.

    Raises:
        PluginError: It does not import, or changes this package; nothing of it is left behind.
    """
    if plugin.module in sys.modules:
        return
    module, before = module_of(plugin), set(sys.modules)
    sys.modules[plugin.module] = module
    try:
        found = scan(plugin.source, module=plugin.module, origin=plugin.name, filename=plugin.name)
        with package_as_it_is():
            for registry in REGISTRIES.values():
                registry.add([entry for entry in found if entry.kind == registry.plural])
            exec(code_object(plugin, plugin.modules[plugin.module]), module.__dict__)  # the user named this file
        _refuse_unnamed(set(sys.modules) - before)
    except (Exception, SystemExit) as error:  # whatever a stranger's file raises, the rest must go on working
        _forget(plugin)
        raise PluginError(f"plug-in {plugin.name} cannot be loaded: {_why(error, plugin)}.") from error


def _forget(plugin: Plugin) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == plugin.module]:
        for registry in REGISTRIES.values():
            registry.remove(name)
        del sys.modules[name]


def _refuse_unnamed(modules: set[str]) -> None:
    """Refuse modules of the author that came by another way than an import statement, which alone is read."""
    for name, file in loaded_from_outside(modules):
        raise ImportError(
            f"it imports {name} from {file} in a way that cannot be seen in its source, so results would not be named "
            "after it: use an import statement, and put the module beside the plug-in"
        )


def _why(error: BaseException, plugin: Plugin | None = None) -> str:
    """Return why a plug-in could not be imported, and where in its files."""
    files = {shown_path(plugin, one) for one in plugin.modules.values()} if plugin else set()
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not files or frame.filename in files]
    place = f" at {frames[-1].filename}, line {frames[-1].lineno}" if frames else ""
    if isinstance(error, SystemExit):
        return f"it ends the program by sys.exit({'' if error.code is None else repr(error.code)}){place}"
    if isinstance(error, Replaced):
        return (
            f"it replaces {error}, which other components rely on, whose results are named after the code as released: "
            "register a component of its own instead"
        )
    return f"{type(error).__name__}: {error}{place}"


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
            with package_as_it_is():
                point.load()
        except (Exception, SystemExit) as error:  # a broken package must not break the rest
            REGISTRIES[plural].remove(point.module)
            log.warning("plug-in %s cannot be loaded: %s. Its components are left out.", point.value, _why(error))


def installed_plugins() -> list[tuple[str, EntryPoint]]:
    """Return the entry points of installed packages for components, each with the kind's plural."""
    every = entry_points()  # asked once: for each group alone, the files of all installed packages are read again
    return [(plural, point) for plural in REGISTRIES for point in every.select(group=f"stillproof.{plural}")]


def _entry_point_source(point: EntryPoint) -> tuple[str, str]:
    spec = find_spec(point.module)
    if spec is None or spec.origin is None:
        raise PluginError(f"module {point.module} is not installed")
    return Path(spec.origin).read_text(encoding="utf-8"), spec.origin
