"""A plug-in file by value, with the modules of its author that it imports: what travels to worker processes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath


@dataclass(frozen=True, slots=True)
class Helper:
    """A module that a plug-in imports: its name in import statements, its text, and where it was read."""

    name: str
    source: str
    is_package: bool
    path: str


@dataclass(frozen=True)
class Plugin:
    """A plug-in file by value: its bytes travel to worker processes, which may not see the file.

    Args:
        name: Name of the file.
        source: Its text.
        path: Where it was read; empty for one that never was a file.
        helpers: The modules of its author that it imports, and those that these import.
    """

    name: str
    source: str
    path: str = ""
    helpers: tuple[Helper, ...] = ()

    @cached_property
    def hash(self) -> str:
        """Return the sha256 of its text and that of what it imports, in hexadecimal."""
        parts = [self.source, *(json.dumps([one.name, one.is_package, one.source]) for one in self.helpers)]
        return hashlib.sha256(chr(0).join(parts).encode()).hexdigest()

    @property
    def module(self) -> str:
        """Return the name that the plug-in is imported under."""
        return f"stillproof_plugin_{self.hash[:12]}"

    @cached_property
    def modules(self) -> Mapping[str, Helper]:
        """Return the plug-in and its helpers by the names that they are imported under.

        Helpers stand below the plug-in, so that two plug-ins may each have one of the same name.
        """
        root = Helper("", self.source, bool(self.helpers), self.path or self.name)
        return {self.module: root} | {f"{self.module}.{one.name}": one for one in self.helpers}

    def imported_as(self, name: str) -> str:
        """Return the name under which a module is imported that the plug-in or a helper calls ``name``."""
        root, _, rest = name.partition(".")
        if not self.helpers or (root != self._stem and root not in self._roots):
            return name
        if root in self._roots:
            return f"{self.module}.{name}"
        return f"{self.module}.{rest}" if rest else self.module

    @cached_property
    def _stem(self) -> str:
        """Return what a helper calls the plug-in itself."""
        return PurePath(self.name).stem

    @cached_property
    def _roots(self) -> frozenset[str]:
        return frozenset(one.name.partition(".")[0] for one in self.helpers)
