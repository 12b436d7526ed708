"""Sees to it that importing a plug-in leaves this package as it is: results are named after the code as released."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

from stillproof.core.registry import Registry
from stillproof.core.source import PACKAGE

# What Python itself adds to a module or a class on the way.
OF_PYTHON = ("__warningregistry__", "__annotations__", "__annotations_cache__", "__annotate_func__", "_abc_impl")
_ABSENT = object()


class Replaced(Exception):
    """Something of this package was replaced; it has been put back."""


@dataclass
class _State:
    """What stood where: the attributes of modules, of their classes and registries, and the items of their tables."""

    names: dict[int, str] = field(default_factory=dict)
    owners: list[tuple[Any, Mapping[Any, Any]]] = field(default_factory=list)  # owner, and what it held

    def keep(self, module: ModuleType) -> None:
        """Remember a module as it is now."""
        self._keep(module, module.__name__, vars(module))
        for name, value in list(vars(module).items()):
            where = f"{module.__name__}.{name}"
            if isinstance(value, type) and value.__module__ == module.__name__:
                self._keep(value, where, vars(value))
            elif isinstance(value, Registry):
                self._keep(value.entries(), f"{where}.entries()", value.entries())
                self._keep(value, where, vars(value))
            elif type(value) is dict and name != "__builtins__":
                self._keep(value, where, value)

    def _keep(self, owner: Any, name: str, held: Mapping[Any, Any]) -> None:
        if id(owner) not in self.names:
            self.names[id(owner)] = name
            self.owners.append((owner, dict(held)))

    def put_back(self) -> list[str]:
        """Put back what was replaced since; return the names of that."""
        found: list[str] = []
        swapped: dict[int, tuple[Any, Any]] = {}
        for owner, before in self.owners:
            now = owner if isinstance(owner, dict) else dict(vars(owner))
            for key in [*before, *(key for key in now if key not in before)]:
                old, new = before.get(key, _ABSENT), now.get(key, _ABSENT)
                if new is old or (old is _ABSENT and _may_be_new(owner, key, new)):
                    continue
                found.append(f"{self.names[id(owner)]}{_part(owner, key)}")
                _set(owner, key, old)
                if callable(new):
                    swapped[id(new)] = (new, old)
            if isinstance(owner, Registry):
                for name in owner.strangers():
                    found.append(f"{self.names[id(owner)]}.get({name!r})")
                    owner.put_back(name)
        self._forget(swapped)
        return found

    def _forget(self, swapped: Mapping[int, tuple[Any, Any]]) -> None:
        """Put back what modules that were loaded in between have taken over under names of their own."""
        for owner, _ in self.owners:
            if isinstance(owner, ModuleType):
                for key, value in list(vars(owner).items()):
                    if id(value) in swapped:
                        _set(owner, key, swapped[id(value)][1])


def _may_be_new(owner: Any, key: Any, value: Any) -> bool:
    """Say whether an attribute may be there that was not there before."""
    if isinstance(owner, dict):  # a table that is filled as it is needed, such as a registry
        return True
    if isinstance(owner, ModuleType):
        return key in OF_PYTHON or sys.modules.get(f"{owner.__name__}.{key}") is value
    return key in OF_PYTHON


def _part(owner: Any, key: Any) -> str:
    return f"[{key!r}]" if isinstance(owner, dict) else f".{key}"


def _set(owner: Any, key: Any, value: Any) -> None:
    if isinstance(owner, dict):
        owner[key] = value
    elif value is _ABSENT:
        delattr(owner, key)
    else:
        setattr(owner, key, value)


class _Watch(MetaPathFinder):
    """Remembers those modules of this package that are loaded in between, each as it is just after that."""

    def __init__(self, state: _State) -> None:
        self.state = state

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return a module's usual spec, with a loader that remembers."""
        spec = PathFinder.find_spec(fullname, path, target) if _is_ours(fullname) else None
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _RememberingLoader(spec.loader.name, spec.loader.path, self.state)
        return spec


class _RememberingLoader(SourceFileLoader):
    def __init__(self, name: str, path: str, state: _State) -> None:
        super().__init__(name, path)
        self.state: _State | None = state

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        if self.state is not None:
            self.state.keep(module)
            self.state = None


def _is_ours(module: str) -> bool:
    return module == PACKAGE or module.startswith(f"{PACKAGE}.")


@contextlib.contextmanager
def package_as_it_is() -> Iterator[None]:
    """Run what imports a plug-in; what it replaces in this package is put back.

    Raises:
        Replaced: It did replace something; the message says what.
    """
    state, modules = _State(), {name: module for name, module in sys.modules.items() if _is_ours(name)}
    for module in list(modules.values()):
        state.keep(module)
    watch = _Watch(state)
    sys.meta_path.insert(0, watch)
    try:
        yield
    except BaseException:
        state.put_back()
        raise
    finally:
        sys.meta_path.remove(watch)
        swapped = [name for name, module in modules.items() if sys.modules.get(name) is not module]
        sys.modules.update(modules)
    found = [f"sys.modules[{name!r}]" for name in swapped] + state.put_back()
    if found:
        raise Replaced(" and ".join(found[:2]) + (f" and {len(found) - 2} more" if len(found) > 2 else ""))
