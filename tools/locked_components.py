"""The built-in components that can be part of a cell's name, and what of them a name leaves out."""

from __future__ import annotations

import dataclasses
from typing import Any

from stillproof.core import identity, lock
from stillproof.core.components import REGISTRIES
from stillproof.core.given_params import default_of
from stillproof.core.index import Entry
from stillproof.train.recipe import Recipe


def components() -> dict[str, Entry]:
    """Return them by kind and name, as in distillers/dm.

    Suites only ask, metrics only read, executors only start workers, and data sets are named by their content.
    """
    return {
        f"{plural}/{name}": entry
        for plural, registry in REGISTRIES.items()
        if plural not in ("suites", "datasets", "metrics", "executors")
        for name, entry in registry.entries().items()
        if entry.origin == "stillproof"
    }


def defaults() -> dict[str, dict[str, str]]:
    """Return the defaults of each component, as text; recipes are named by how they differ from ``Recipe``."""
    found = {}
    for name, entry in components().items():
        plural, _, short = name.partition("/")
        if plural not in ("recipes", "stages") and short == entry.family:
            found[name] = _defaults(REGISTRIES[plural].get(short))
    return found | {"Recipe": _defaults(Recipe)}


def _defaults(cls: Any) -> dict[str, str]:
    found = {field.name: default_of(field) for field in dataclasses.fields(cls) if field.init}
    return {name: repr(value) for name, value in found.items() if value is not dataclasses.MISSING}


def generations_in_names() -> dict[str, dict[str, int]]:
    """Return the generations that are in the names of components, by the lock that is on the disk."""
    for remembered in (lock.read_lock, lock.difference, identity.code_identity):
        remembered.cache_clear()
    held = {name: identity.code_identity(entry.module).get("generations") for name, entry in components().items()}
    return {name: generations for name, generations in held.items() if generations}
