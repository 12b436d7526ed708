"""When an image counts as a copy of a real one: distances beside those that real images have to each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest

NEARLY_ALL = 0.95  # of real training images are further away than what counts as near
CLEARLY = 0.7  # of the distance to anything else is what counts as clearly nearer


def nearness_limit(reference: ArrayLike) -> float:
    """Return the distance below which an image is nearer than nearly all real ones are.

    Args:
        reference: The distances of real images.

    Raises:
        ValueError: There are none.
    """
    distances = np.asarray(reference, np.float64)
    if not distances.size:
        raise ValueError("without distances of real images none is nearer than theirs")
    return float(np.quantile(distances, 1 - NEARLY_ALL, method="lower"))


def copies_by_distance(near: ArrayLike, other: ArrayLike, reference: ArrayLike) -> NDArray[np.bool_]:
    """Return which images are copies of real ones: nearer than nearly all real images are, and clearly nearer.

    A real training image may have a twin among the test images, as many of CIFAR-10 do. A distilled image that is made
    of the first is near to both, and so is no copy of the second.

    Args:
        near: Distance of each image to its nearest real image of the split in question.
        other: Its distance to its nearest one of the other split.
        reference: Distances that real training images have to the split in question.

    Raises:
        ValueError: There are not as many distances to the one as to the other, or none of real images.
    """
    to, beside = np.asarray(near, np.float64), np.asarray(other, np.float64)
    if to.shape != beside.shape:
        raise ValueError(f"{to.shape} distances and {beside.shape} others are not those of the same images")
    found: NDArray[np.bool_] = (to < nearness_limit(reference)) & (to < CLEARLY * beside)
    return found


@dataclass(frozen=True, slots=True)
class Leaning:
    """How many images are nearer to a test image than to any training image, each nearest image counted once.

    Args:
        count: Their number.
        total: The number of images that were compared; those that share their nearest real image count as one.
        expected: The share of real training images, each without itself, that are nearer to a test image.
        p: How likely at least as many are, if the set's images are no nearer than real ones.
    """

    count: int
    total: int
    expected: float
    p: float


def leaning(nearest: ArrayLike, to_test: ArrayLike, expected: ArrayLike) -> Leaning:
    """Return whether images as a whole lean towards the test images.

    Args:
        nearest: A number for the nearest real image of each image, whatever its split.
        to_test: Whether that is a test image.
        expected: The same of real training images, which know nothing of any test image.

    Raises:
        ValueError: There are no images, or no real ones.
    """
    places, towards, real = np.asarray(nearest), np.asarray(to_test, bool), np.asarray(expected, bool)
    if not places.size or places.shape != towards.shape or not real.size:
        raise ValueError("a leaning needs a nearest image for each of some images, and real images beside them")
    _, first = np.unique(places, return_index=True)
    share = float(real.mean())
    count, total = int(towards[first].sum()), len(first)
    return Leaning(count, total, share, float(binomtest(count, total, share, alternative="greater").pvalue))
