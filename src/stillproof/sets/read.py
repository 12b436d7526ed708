"""Reads distilled sets from the store, and says whether one fits a data set."""

from __future__ import annotations

from stillproof.core.errors import BadInput, Corrupt
from stillproof.core.types import DataInfo, Distilled
from stillproof.sets.artifact import from_artifact
from stillproof.sets.checks import check_images, check_labels
from stillproof.store.artifact_files import Artifact
from stillproof.store.store import Store

DISTILLED = "distilled"  # the kind of artifact that sets are


def read_set(store: Store, artifact: str) -> Distilled:
    """Read a distilled set; one that is damaged goes back in line, if it was made here."""
    stored = read_stored(store, artifact)
    if stored.kind != DISTILLED:
        raise BadInput(f"artifact {artifact[:12]} is of kind {stored.kind!r}, and no distilled set.")
    return from_artifact(stored.tensors, stored.card)


def read_stored(store: Store, artifact: str) -> Artifact:
    """Read images that are kept, of whatever kind; those that are damaged go back in line, if they were made here."""
    try:
        return store.artifacts.read(artifact)
    except Corrupt as error:
        if store.reopen_maker(artifact) is None:
            raise
        raise Corrupt(f"{error} The same command makes it again.") from error


def check_fits(distilled: Distilled, info: DataInfo) -> None:
    """Refuse to train on a set that does not fit the data set it is tested on, or that is no sound set at all.

    Its files are what they were when they were sealed, but anybody can seal anything.
    """
    found = (distilled.num_classes, tuple(distilled.images.shape[1:]))
    expected = (info.num_classes, (info.channels, info.size, info.size))
    if found != expected:
        raise BadInput(
            f"the distilled set has {found[0]} classes of images {found[1]}, but {info.name} has {expected[0]} classes "
            f"of images {expected[1]}."
        )
    check_images(distilled.images, distilled.labels, info, info.name)
    check_labels(distilled.labels, info, info.name)
