"""Reads distilled sets from the store, and says whether one fits a data set."""

from __future__ import annotations

from stillproof.core.errors import BadInput, Corrupt
from stillproof.core.types import DataInfo, Distilled
from stillproof.sets.artifact import from_artifact
from stillproof.store.store import Store


def read_set(store: Store, artifact: str) -> Distilled:
    """Read a distilled set; one that is damaged goes back in line, if it was made here."""
    try:
        stored = store.artifacts.read(artifact)
    except Corrupt as error:
        if store.reopen_maker(artifact) is None:
            raise
        raise Corrupt(f"{error} The same command makes it again.") from error
    return from_artifact(stored.tensors, stored.card)


def check_fits(distilled: Distilled, info: DataInfo) -> None:
    """Refuse to train on a set that has other classes or sizes than the data set it is tested on."""
    found = (distilled.num_classes, tuple(distilled.images.shape[1:]))
    expected = (info.num_classes, (info.channels, info.size, info.size))
    if found != expected:
        raise BadInput(
            f"the distilled set has {found[0]} classes of images {found[1]}, but {info.name} has {expected[0]} classes "
            f"of images {expected[1]}."
        )
