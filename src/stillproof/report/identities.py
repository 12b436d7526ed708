"""Finds the components in a spec: each is there with its name, version and parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
        if key in KINDS and value.keys() >= IDENTITY:
            yield KINDS[key], value
        for name, inner in value.items():
            yield from identities(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from identities(inner, key)
