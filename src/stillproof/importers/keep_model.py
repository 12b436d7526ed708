"""Puts somebody's trained model into the store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

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


def keep_model(store: Store, model: ForeignModel, name: str) -> ImportedModel:
    """Write a checkpoint that was read to the store, under a name that begins as its file's does."""
    card = model.card.as_dict()
    cached = store.artifacts.has("model", model.tensors, card)
    artifact = store.artifacts.write("model", model.tensors, card)
    size = sum(tensor.numel() * tensor.element_size() for tensor in model.tensors.values())
    name = f"model-{name}-{artifact[:6]}"
    store.register_artifact(artifact, "model", name, None, size)
    return ImportedModel(artifact, name, store.artifacts.folder(artifact), cached, model.network, size, model.found)
