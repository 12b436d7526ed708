"""The picture of an audit as a value: suspicious images beside the nearest real ones, and distances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BINS = 30  # of a histogram


@dataclass(frozen=True, eq=False)  # pictures have no one answer to ==
class Looked:
    """One image of a set.

    Args:
        name: Its number.
        label: Its class.
        pictures: The image itself, its nearest training image and its nearest test image, (C, H, W) bytes.
        near: How far it is from the two, in levels of 255.
        copied: Whether it is a copy of a test image.
    """

    name: str
    label: str
    pictures: Sequence[NDArray[np.uint8]]
    near: tuple[float, float]
    copied: bool


@dataclass(frozen=True, slots=True)
class Distances:
    """Distances to the nearest test image, of the set's images and of real training images; ``limit`` is a line."""

    title: str
    own: Sequence[float]
    real: Sequence[float]
    limit: float

    def end(self) -> float:
        """Return the end of an axis that has room for nearly all of them; what is further counts as there."""
        return max(float(np.quantile([*self.real, *self.own], 0.995)), self.limit)

    def shares(self, distances: Sequence[float]) -> list[float]:
        """Return how large a share of some distances lies in each of ``BINS`` parts of that axis."""
        counts, _ = np.histogram(np.clip(distances, 0, self.end()), BINS, (0, self.end()))
        found: list[float] = (counts / max(len(distances), 1)).tolist()
        return found


@dataclass(frozen=True, slots=True)
class AuditSheet:
    """Images in columns, histograms below them, and a note below all."""

    title: str
    looked: Sequence[Looked]
    distances: Sequence[Distances]
    note: str
