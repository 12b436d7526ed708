"""Puts a third-party model into the store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stillproof.core.tensor_size import size_in_bytes
from stillproof.importers.checkpoints import ForeignModel
from stillproof.store.store import Store


@dataclass(frozen=True)
class ImportedModel:
    """A model that is in the store now."""

    artifact: str
    name: str
    path: Path
    cached: bool
    network: str
    bytes: int
    found: tuple[str, ...]


def write_model(store: Store, model: ForeignModel, name: str) -> ImportedModel:
    """Write a checkpoint that was read to the store, under a name that begins as its file's does."""
    card = model.card.as_dict()
    artifact = store.artifacts.id_of("model", model.tensors, card)
    cached = store.artifacts.is_sound(artifact)
    name = f"model-{name}-{artifact[:6]}"
    store.keep("model", model.tensors, card, name=name)
    size = size_in_bytes(model.tensors.values())
    return ImportedModel(artifact, name, store.artifacts.folder(artifact), cached, model.network, size, model.found)
