"""Computes a whitening cell: the ZCA of a data set, as an artifact that distilled sets and models refer to."""

from __future__ import annotations

from stillproof.core.provenance import Meter, numerics
from stillproof.core.spec import Json
from stillproof.core.types import Space
from stillproof.run.source_data import load_exactly
from stillproof.run.world import Answer, World, answer_of
from stillproof.sets.fronts import WHITENINGS
from stillproof.store.store import Store


def compute_zca(cell_id: str, spec: Json, where: Json, world: World) -> Answer:
    """Fit and store."""
    data = load_exactly(spec["data"], where["dataset"], where["part"], world)
    with Meter() as meter:
        tensors = WHITENINGS[spec.get("variant", "usual")].fit(data, spec["eps"]).state_dict()
    card: Json = {key: spec[key] for key in ("data", "eps", "variant") if key in spec}
    artifact = world.store.artifacts.write("zca", tensors, card)
    size = sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
    world.store.register_artifact(artifact, "zca", f"zca-{data.info.name}-{cell_id[:6]}", cell_id, size)
    return Answer({"artifact": artifact, "bytes": size} | meter.as_dict(), numerics("cpu"))


def whitened(cell: str, store: Store) -> Space:
    """Return the space that a whitening cell has made."""
    return Space("zca", ref=answer_of(cell, store)["artifact"])
