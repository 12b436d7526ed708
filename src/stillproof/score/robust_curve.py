"""How much of a model's accuracy is left, as a function of how far images may be changed; and the area below that.

Both follow from one number per image: the size of the smallest change that fools the model, as a minimal-norm attack
finds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stillproof.core.errors import BadInput
from stillproof.score.over_images import wilson as wilson

Numbers = Sequence[float] | npt.NDArray[np.floating]
Flags = Sequence[bool] | npt.NDArray[np.bool_]
# An attack keeps changes within its ball, but float32 makes the size of most a little larger: by the rounding of a
# pixel near 1, and of a sum over many pixels by a share of it.
PIXEL_ROUNDING = 2.0**-23
SUM_ROUNDING = 1e-5


@dataclass(frozen=True, slots=True)
class RobustPoint:
    """What is left at one radius.

    Args:
        eps: The radius.
        robust: The share of all images that are right, and stay so within it.
        ci95: Wilson's 95 % interval of that share, for other images of the same kind.
    """

    eps: float
    robust: float
    ci95: tuple[float, float]


def robust_curve(distances: Numbers, clean_right: Flags, eps: Sequence[float]) -> list[RobustPoint]:
    """Return the robust accuracy at some radii.

    Args:
        distances: The smallest change of each image that fools the model; infinite if none was found.
        clean_right: Whether the model has it right as it is; one that it has wrong is lost at any radius.
        eps: The radii. A change of just this size is within it, also if rounding has made it larger: by a 100,000th of
            the radius, or by 2**-23 where that is more, which is float32's step between pixels just above 1.
    """
    away = _reached(distances, clean_right)
    points = []
    for radius in eps:
        rounding = max(PIXEL_ROUNDING, SUM_ROUNDING * radius) if radius > 0 else 0.0
        left = int(np.count_nonzero(away > radius + rounding))
        points.append(RobustPoint(float(radius), left / len(away), wilson(left, len(away))))
    return points


def area_under(distances: Numbers, clean_right: Flags, up_to: float) -> float:
    """Return the area below the curve from 0 up to a radius: the mean of the distances, cut there.

    The curve is one of steps, so that this is exact, whatever radii it is drawn at.
    """
    if not up_to > 0 or not np.isfinite(up_to):
        raise BadInput(f"up_to = {up_to:g} is not allowed: an area needs a finite radius above 0.")
    return float(np.minimum(_reached(distances, clean_right), up_to).mean())


def _reached(distances: Numbers, clean_right: Flags) -> npt.NDArray[np.float64]:
    """Return the distances, with zero for what is wrong before."""
    away, right = np.asarray(distances, dtype=np.float64), np.asarray(clean_right, dtype=bool)
    if away.ndim != 1 or away.shape != right.shape or not len(away):
        raise BadInput(f"{away.shape} distances and {right.shape} answers do not fit: give one of each per image.")
    if np.isnan(away).any() or (away < 0).any():
        raise BadInput("a distance is negative or no number: it must be the size of a change, or infinite.")
    return np.where(right, away, 0.0)
