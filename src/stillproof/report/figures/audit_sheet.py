"""The picture of an audit as a value: suspicious images beside the nearest real ones, and distances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


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


@dataclass(frozen=True, slots=True)
class AuditSheet:
    """Images in columns, histograms below them, and a note below all."""

    title: str
    looked: Sequence[Looked]
    distances: Sequence[Distances]
    note: str
