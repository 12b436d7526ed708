"""A split by content: the same pictures are divided in the same way whatever they are called, and on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def split_by_content(labels: NDArray[np.integer[Any]], keys: Sequence[str], share: float) -> NDArray[np.int64]:
    """Return the sorted positions of ``share`` of every class, rounded half up: those with the smallest keys.

    A class gives at least one and keeps at least one; one whose images are all the same gives none. Copies of an image
    stay together, so that none is on both sides.

    Args:
        labels: The class of each image, (N,).
        keys: Hashes of what each image is.
        share: The share, between 0 and 1.
    """
    drawn: list[int] = []
    for label in np.unique(labels):
        members = sorted(np.flatnonzero(labels == label).tolist(), key=lambda position: keys[position])
        # Where a class may be cut: between two images that are not the same.
        cuts = [cut for cut in range(1, len(members)) if keys[members[cut - 1]] != keys[members[cut]]]
        wanted = int(share * len(members) + 0.5)
        if cuts:
            drawn += members[: min(cuts, key=lambda cut: abs(cut - wanted))]
    return np.sort(np.array(drawn, np.int64))
