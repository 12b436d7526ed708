"""The space that real images are taken into: normalised as usual or by another set's constants, or whitened."""

from __future__ import annotations

from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.core.types import DataInfo, Space
from stillproof.data.load import source
from stillproof.run.stages.zca import whitened
from stillproof.store.store import Store

STORED = "stored_zca"  # a whitening that is an artifact of the store, which no cell here need have made


def constants_of(dataset: str, info: DataInfo) -> Json:
    """Return the part of a spec that says whose mean and std are used; nothing, if they are the data set's own."""
    if not dataset:
        return {}
    other = source(dataset).info
    if other.channels != info.channels:
        raise BadInput(f"{info.name} cannot be normalised as {dataset}: the numbers of their channels differ.")
    return {"normalised": {"mean": other.mean, "std": other.std}}


def space_of(spec: Json, info: DataInfo, store: Store) -> Space:
    """Return the space that a spec asks for."""
    if "zca" in spec:
        return whitened(spec["zca"], store)
    if STORED in spec:
        return Space("zca", ref=spec[STORED])
    if "normalised" in spec:
        return Space("normalised", tuple(spec["normalised"]["mean"]), tuple(spec["normalised"]["std"]))
    return Space.normalised(info)
