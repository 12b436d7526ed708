"""Reads the data set that a spec names, and no other."""

from __future__ import annotations

from stillproof.core.errors import BadInput
from stillproof.core.types import ImageSet, Split
from stillproof.data.load import load
from stillproof.run.world import World


def load_exactly(data_id: str, dataset: str, split: Split, world: World) -> ImageSet:
    """Read a split and make sure that it is the one that was planned."""
    data = load(dataset, split, world.options.data_root)
    if data.id != data_id:
        raise BadInput(
            f"{dataset} has changed since it was planned: {data.id} is not {data_id}; run the command again."
        )
    return data
