"""Robust accuracy over the size of the change, from the distance of each image's nearest change that fools."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def left_at(distances: Floats, clean_right: Mask, eps: float) -> float:
    """Return the share of images that are right, and stay so under changes of up to ``eps``.

    Args:
        distances: Size of the smallest change known to fool, (N,); infinite where none is known.
        clean_right: Which images are right without any, (N,).
        eps: The largest size; 0 gives the clean accuracy.
    """
    return float((clean_right & (distances > eps)).mean())


def mean_left(distances: Floats, clean_right: Mask, largest: float) -> float:
    """Return the area below the curve from 0 to ``largest``, divided by that: the mean of all accuracies on the way.

    It is exact, not a sum over points: an image adds the share of the way on which it stays right.
    """
    return float((clean_right * np.minimum(distances, largest)).mean() / largest)
