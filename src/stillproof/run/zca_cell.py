"""Computes a whitening cell: the ZCA of a data set, as an artifact that distilled sets and models refer to."""

from __future__ import annotations

from stillproof.core.provenance import Meter, numerics
from stillproof.core.spec import Json
from stillproof.core.types import Space
from stillproof.run.source_data import load_exactly
from stillproof.run.world import Answer, World
from stillproof.store.store import Store
from stillproof.transforms.front import Front
from stillproof.transforms.space import make_front
from stillproof.transforms.zca import ZCA


def compute_zca(cell_id: str, spec: Json, where: Json, world: World) -> Answer:
    """Fit and store."""
    data = load_exactly(spec["data"], where["dataset"], where["part"], world)
    with Meter() as meter:
        tensors = ZCA.fit(data, spec["eps"]).state_dict()
    artifact = world.store.artifacts.write("zca", tensors, {"data": spec["data"], "eps": spec["eps"]})
    size = sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
    world.store.register_artifact(artifact, "zca", f"zca-{data.info.name}-{cell_id[:6]}", cell_id, size)
    return Answer({"artifact": artifact, "bytes": size} | meter.as_dict(), numerics("cpu"))


def front_of(space: Space, store: Store) -> Front:
    """Return the map from pixels into a space, with its whitening read from the store."""
    zca = ZCA(**store.artifacts.read(space.ref).tensors) if space.kind == "zca" else None
    return make_front(space, zca)
