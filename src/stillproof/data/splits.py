"""Fixed stratified splits that come out the same on every machine and with every numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stillproof.core.seeds import Seeds

HELDOUT_SHARE = 0.1


def stratified(labels: NDArray[np.integer[Any]], share: float, seeds: Seeds) -> NDArray[np.int64]:
    """Return the sorted positions of ``share`` of every class, rounded half up.

    A class of two or more images gives at least one and keeps at least one; a class of one gives none.
    """
    drawn = []
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        count = min(max(int(share * len(members) + 0.5), 1), len(members) - 1)
        # numpy promises that the raw words of a bit generator never change; Generator.permutation may.
        keys = np.random.PCG64(seeds.child(int(label)).integer()).random_raw(len(members))
        drawn.append(members[np.argsort(keys, kind="stable")[:count]])
    return np.sort(np.concatenate(drawn)).astype(np.int64)


def search_heldout(count: int) -> NDArray[np.int64]:
    """Return the sorted positions that DC-Bench's architecture search holds out: the last fifth of a fixed shuffle.

    numpy promises that the legacy generator never changes, so this is the original's own split.
    """
    order = np.random.RandomState(10).permutation(count)
    return np.sort(order[int(0.8 * count) :]).astype(np.int64)
