"""A typed registry of components: names are known without importing anything, classes are loaded when asked for."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from stillproof.core.errors import OF_A_PLUGIN, BadInput, DuplicateName, PluginError, UnknownName
from stillproof.core.given_params import given_params, rebuilt_params
from stillproof.core.identity import code_identity
from stillproof.core.index import Entry, scan
from stillproof.core.reference import parse_reference, write_reference
from stillproof.core.spec import ComponentSpec, Json
from stillproof.core.validate import validated

T = TypeVar("T")


class Registry(Generic[T]):
    """The components of one kind.

    Built-in ones are the files of one package, indexed by reading their syntax trees. Third-party ones are added by
    ``stillproof.core.plugins``; a class that is decorated in a notebook is added on the spot.
    """

    def __init__(self, kind: str, plural: str, package: str) -> None:
        """Name the registry: ``kind`` for messages, ``plural`` as its variable, ``package`` for its built-in files."""
        self.kind = kind
        self.plural = plural
        self.package = package
        self._entries: dict[str, Entry] | None = None
        self._classes: dict[str, type[T]] = {}

    def register(
        self,
        name: str,
        *,
        version: int,
        paper: str = "",
        names: Mapping[str, Mapping[str, Any]] | None = None,
        below: str = "",
    ) -> Callable[[type[T]], type[T]]:
        """Return the decorator that enters a frozen dataclass under ``name``.

        Args:
            name: The family name, lower case with dashes.
            version: Raised whenever a change may alter results on purpose.
            paper: Where the component is described.
            names: Short names, each with the parameters that it settles.
            below: What stands behind a slash in names of this family, where it is a door to many things that have
                names of their own. Its class then has ``from_below``, which makes parameters of such a name and of
                what is given to it, and ``to_below``, which gives both back.
        """

        def decorate(cls: type[T]) -> type[T]:
            short: dict[str, Mapping[str, Any]] = {name: {}, **(names or {})}
            entries = [_entry(self.plural, cls, name, short[n], n, version, paper, below) for n in short]
            if cls.__module__ == "__main__" or name not in self.entries():
                self.add(entries)
            else:  # the file was indexed before it was imported, and the index knows more of it
                self._refuse_taken(entries)
            for short_name in short:
                self._classes[short_name] = cls
            return cls

        return decorate

    def entries(self) -> dict[str, Entry]:
        """Return everything registered, by name, without importing component files."""
        if self._entries is None:
            self._entries = {}
            self.add(_scan_package(self.package, self.plural))
        return self._entries

    def add(self, entries: list[Entry]) -> None:
        """Enter indexed components; a name that another class owns already is refused."""
        self._refuse_taken(entries)
        self.entries().update({entry.name: entry for entry in entries})

    def remove(self, module: str) -> None:
        """Forget what ``module`` registered (it failed to import)."""
        for name in [n for n, e in self.entries().items() if e.module == module]:
            self.entries().pop(name)
            self._classes.pop(name, None)

    def strangers(self) -> list[str]:
        """Return the names that stand for classes of other modules than those that were indexed."""
        known = self.entries()
        return [name for name, cls in self._classes.items() if name in known and cls.__module__ != known[name].module]

    def put_back(self, name: str) -> None:
        """Let a name stand for the class that was indexed again."""
        entry = self.entries()[name]
        if (module := sys.modules.get(entry.module)) is not None:
            self._classes[name] = getattr(module, entry.qualname)
        else:
            self._classes.pop(name)

    def find(self, name: str) -> Entry | None:
        """Return the entry called ``name``, or that of the family before its slash; nothing if there is none."""
        found = self.entries().get(name)
        if found is not None or "/" not in name:
            return found
        door = self.entries().get(name.partition("/")[0])
        return dataclasses.replace(door, name=name) if door is not None and door.below else None

    def entry(self, name: str) -> Entry:
        """Return the entry called ``name``."""
        found = self.find(name)
        if found is None:
            raise UnknownName(self.kind, name, self.entries(), more=OF_A_PLUGIN)
        return found

    def get(self, name: str) -> type[T]:
        """Return the class called ``name``, importing its file if need be."""
        entry = self.entry(name)
        if entry.below:
            name = entry.family
        if name not in self._classes:
            try:
                importlib.import_module(entry.module)
            except (Exception, SystemExit) as error:
                if entry.origin == "stillproof":
                    raise
                raise PluginError(f"{self.kind} {name!r}: importing {entry.module} failed: {error!r}.") from error
        return self._classes[name]

    def build(self, reference: str, params: Mapping[str, Any] | None = None) -> T:
        """Return a component from ``name``, ``name:key=value`` or ``name(key=value)``; ``params`` override all."""
        name, given = parse_reference(reference)
        cls, entry = self.get(name), self.entry(name)
        values = {**entry.fixed, **given, **(params or {})}
        if entry.below:
            values = cast(Any, cls).from_below(name.partition("/")[2], values)
        known = [f.name for f in dataclasses.fields(cast(Any, cls)) if f.init]
        for key in values:
            if key not in known:
                raise UnknownName("parameter", key, known, of=f"{self.kind} {name!r}")
        return validated(cls, values, f"{self.kind} {name!r}")

    def spec(self, component: T) -> ComponentSpec:
        """Return ``component`` with all its parameters."""
        entry = self._entry_of(component)
        params = {f.name: getattr(component, f.name) for f in dataclasses.fields(cast(Any, component)) if f.init}
        return ComponentSpec(self.kind, entry.family, entry.version, params)

    def identity(self, component: T) -> Json:
        """Return what names ``component`` in the spec of a cell, as JSON values.

        That is its name, its version, what its code adds, and the parameters that differ from the defaults,
        which the lock fixes. A parameter that names another component becomes that component's identity.
        """
        entry = self._entry_of(component)
        code = code_identity(*_code_of(type(component)))
        return {"name": entry.family, "version": entry.version, "params": given_params(component)} | code

    def rebuild(self, identity: Json) -> T:
        """Return the component that an identity names."""
        return self.build(identity["name"], rebuilt_params(identity["params"]))

    def reference(self, component: T) -> str:
        """Return ``component`` as people write it, always in the same way: by the short name that says most of it."""
        given = given_params(component)
        named = [e for e in self.entries().values() if self._classes.get(e.name) is type(component)]
        fitting = [e for e in named if all(getattr(component, key) == value for key, value in e.fixed.items())]
        best = max(fitting, key=lambda e: (len(e.fixed), e.name))
        if best.below:
            inner, values = cast(Any, component).to_below()
            return write_reference(f"{best.name}/{inner}", values)
        rest = {key: value for key, value in given.items() if key not in best.fixed}
        return write_reference(best.name, rebuilt_params(rest))

    def code(self, name: str) -> Json:
        """Return the version of a component and what its code adds to its name, as JSON values."""
        return {"version": self.entry(name).version} | code_identity(*_code_of(self.get(name)))

    def _entry_of(self, component: T) -> Entry:
        cls = type(component)
        entry = next((e for e in self.entries().values() if self._classes.get(e.name) is cls), None)
        if entry is None:
            raise BadInput(f"{cls.__qualname__} is not a registered {self.kind}.")
        return entry

    def _refuse_taken(self, entries: list[Entry]) -> None:
        owners = dict(self.entries())
        for entry in entries:
            owner = owners.setdefault(entry.name, entry)
            again = owner.module == entry.module == "__main__"  # a notebook may define its classes anew
            if (owner.module, owner.qualname) != (entry.module, entry.qualname) and not again:
                what = f"{self.kind} {entry.name!r} of {entry.module}"
                raise DuplicateName(f"{what} is already defined by {owner.module}.")


def _code_of(cls: type) -> tuple[str, str | None]:
    """Return the module that defines a class and, if it has no file, the class's source."""
    module = sys.modules[cls.__module__]
    if hasattr(module, "__file__"):
        return cls.__module__, None
    try:  # a notebook has no file, only the cell that defines the class
        return cls.__module__, inspect.getsource(cls)
    except (OSError, TypeError) as error:
        raise BadInput(
            f"the source of {cls.__qualname__} cannot be read: define it in a file or a notebook."
        ) from error


def _scan_package(package: str, plural: str) -> list[Entry]:
    """Index every file below a package, folders included: what components share may lie beside them."""
    found = importlib.util.find_spec(package)
    folders = [Path(folder) for folder in (found.submodule_search_locations or [] if found else [])]
    entries: list[Entry] = []
    for path in sorted(path for folder in folders for path in folder.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if f"{plural}.register(" in source:
            parts = path.relative_to(folders[0]).with_suffix("").parts
            module = ".".join((package, *parts)).removesuffix(".__init__")
            entries += scan(source, module=module, origin="stillproof", filename=str(path))
    return [entry for entry in entries if entry.kind == plural]


def _entry(
    plural: str, cls: type, family: str, fixed: Mapping[str, Any], name: str, version: int, paper: str, below: str
) -> Entry:
    """Index a class that no file scan has seen: one made in a notebook or a test."""
    fields = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
    params = {f.name: str(f.type) for f in fields if f.init}
    summary = (cls.__doc__ or "").split("\n")[0]
    return Entry(
        kind=plural,
        name=name,
        version=version,
        paper=paper,
        summary=summary,
        module=cls.__module__,
        origin=cls.__module__,
        qualname=cls.__qualname__,
        family=family,
        params=params,
        fixed=fixed,
        below=below,
    )
