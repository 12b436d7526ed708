"""Imports the modules that came with a plug-in from what came with it, wherever its files are by now."""

from __future__ import annotations

import builtins
import importlib
import linecache  # so that traces show the lines of plug-ins, whose files a worker may not see
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from stillproof.core.plugin_file import Helper, Plugin


def module_of(plugin: Plugin) -> ModuleType:
    """Return the module of a plug-in, which is not run yet."""
    module = ModuleType(plugin.module)
    module.__file__ = plugin.path or plugin.name
    module.__dict__["__plugin__"] = plugin
    if plugin.helpers:
        _be_importable()
        module.__spec__ = ModuleSpec(plugin.module, None, is_package=True)
        module.__package__, module.__path__ = plugin.module, []
        module.__dict__["__builtins__"] = _with_its_imports(plugin)
    return module


def code_object(plugin: Plugin, helper: Helper) -> CodeType:
    """Compile a plug-in or one of its helpers, whose lines traces can show from now on."""
    filename = shown_path(plugin, helper)
    linecache.cache[filename] = (len(helper.source), None, helper.source.splitlines(True), filename)
    return compile(helper.source, filename, "exec", dont_inherit=True)


def shown_path(plugin: Plugin, helper: Helper) -> str:
    """Return what a file is called in traces: a helper by its place beside the plug-in."""
    if not helper.name:
        return plugin.name
    path, folder = Path(helper.path), Path(plugin.path).parent
    return str(path.relative_to(folder.parent)) if path.is_relative_to(folder) else helper.path


def _with_its_imports(plugin: Plugin) -> Mapping[str, Any]:
    """Return the built-in names for the code of a plug-in: its import statements find its own helpers first."""

    def find(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        called = name if level else plugin.imported_as(name)
        if called == name:
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        if fromlist:
            return builtins.__import__(called, globals, locals, fromlist, 0)
        importlib.import_module(called)
        return sys.modules[plugin.imported_as(name.partition(".")[0])]

    return {**vars(builtins), "__import__": find}


class _Helpers(MetaPathFinder, Loader):
    """Finds helpers below the plug-ins that they came with."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return what is needed to import a helper; nothing for any other module."""
        plugin = getattr(sys.modules.get(fullname.partition(".")[0]), "__plugin__", None)
        if not isinstance(plugin, Plugin) or (helper := plugin.modules.get(fullname)) is None:
            return None
        spec = ModuleSpec(fullname, self, origin=helper.path, is_package=helper.is_package)
        spec.has_location = True
        return spec

    def exec_module(self, module: ModuleType) -> None:
        """Run a helper."""
        plugin: Plugin = sys.modules[module.__name__.partition(".")[0]].__dict__["__plugin__"]
        module.__dict__["__builtins__"] = _with_its_imports(plugin)
        exec(code_object(plugin, plugin.modules[module.__name__]), module.__dict__)  # a file of the user's own


_FINDER = _Helpers()


def _be_importable() -> None:
    if _FINDER not in sys.meta_path:
        sys.meta_path.append(_FINDER)
