"""Finds the components in a spec: each is there with its name, version and parameters, and says if it has risen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stillproof.core.components import REGISTRIES
from stillproof.core.lock import generations_in_names
from stillproof.core.spec import Json

IDENTITY = {"name", "version", "params"}  # what the identity of a component has at least
# What a component stands under in a spec says its kind: one name may be a distiller's and an augmentation's.
KINDS = {
    "method": "distillers",
    "network": "networks",
    "attack": "attacks",
    "defence": "defences",
    "augment": "augmentations",
    "objective": "objectives",
}


def identities(value: Any, key: str = "") -> Iterator[tuple[str, Json]]:
    """Yield the identities of components in a spec with their kinds, those inside others included."""
    if isinstance(value, dict):
        if key in KINDS and value.keys() >= IDENTITY and isinstance(value["name"], str):  # a merged one may be any
            yield KINDS[key], value
        for name, inner in value.items():
            yield from identities(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from identities(inner, key)


def components_in(spec: Json) -> Iterator[tuple[str, str, Json]]:
    """Yield kind, name and the rest of what is known of the stage of a spec, and of every component in it."""
    if isinstance(stage := spec.get("stage"), str):
        yield "stages", stage, spec
    for kind, identity in identities(spec):
        yield kind, identity["name"], identity


def has_risen(kind: str, name: str, known: Mapping[str, Any]) -> bool:
    """Say whether a component of ours is of a later version or generation than what is ``known`` of it."""
    entry = REGISTRIES[kind].entries().get(name)
    if entry is None or entry.origin != "stillproof" or "own" in known:
        return False
    given = known.get("generations")
    before = given if isinstance(given, dict) else {}
    now = generations_in_names().get(f"{kind}/{name}", {})
    return entry.version > _number(known, "version") or any(_number(before, file) < now[file] for file in now)


def _number(known: Mapping[str, Any], key: str) -> int:
    """Return a version or generation; the first, where none is said, or by a merged cell something else."""
    value = known.get(key, 1)
    return value if isinstance(value, int) else 1
