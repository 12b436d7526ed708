"""How close an attack comes to the best that is known, as AttackBench (arXiv:2404.19460) defines it.

All of it follows from one distance per image: the smallest change that an attack found; 0 for an image that the model
has wrong without a change, infinite if the attack found none.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import numpy as np
import numpy.typing as npt

from stillproof.core.errors import BadInput, Unsupported
from stillproof.score.robust_curve import Numbers, area_under


def best_known(distances: Sequence[Numbers]) -> npt.NDArray[np.float64]:
    """Return the smallest distance that any of several attacks found, image by image."""
    if not distances or len({len(one) for one in distances}) > 1:
        raise BadInput("the best known distances are those of at least one attack, all on the same images.")
    return np.asarray(np.min(np.asarray(distances, dtype=np.float64), axis=0))


def local_optimality(distances: Numbers, best: Numbers) -> float:
    """Return 1 for an attack that is the best known on every image, 0 for one that finds nothing.

    With A the area below its curve of robust accuracy, up to the largest best-known distance, A* that below the curve
    of the best known, and A0 that of a model which loses nothing, it is 1 - (A - A*) / (A0 - A*).

    The curves are of steps here. The authors' code joins them by straight lines, so that an attack which finds nothing
    has half of A0; with many different distances both come to the same.

    Args:
        distances: The attack's distances.
        best: The best known ones.

    Raises:
        Unsupported: No attack found anything, or all images are equally far from an error: then nothing is between the
            best attack and none.
    """
    away, nearest = np.asarray(distances, dtype=np.float64), np.asarray(best, dtype=np.float64)
    if away.shape != nearest.shape:
        raise BadInput(f"{len(away)} and {len(nearest)} distances do not fit: they must be of the same images.")
    right = nearest > 0
    found = nearest[right & np.isfinite(nearest)]
    if not len(found):
        raise Unsupported("optimality is not defined: no attack turned any image that is right.")
    largest = float(found.max())
    nothing = float(right.mean()) * largest
    reached, least = (area_under(one, right, largest) for one in (away, nearest))
    if not nothing > least:
        raise Unsupported("optimality is not defined: all images have the same best-known distance.")
    return (nothing - reached) / (nothing - least)  # the same, and exactly 0 and 1 at its ends


def global_optimality(local: Sequence[float]) -> float:
    """Return the mean over models."""
    return fmean(local)
