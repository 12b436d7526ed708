"""Which part of a plane is shown, and a score of its two numbers at places all over that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stillproof.report.figures.values import ScoreGrid, Spot
from stillproof.report.measure import Measure
from stillproof.score.stats import Summary

Floats: TypeAlias = NDArray[np.float64]
FINE = 60  # places along each axis


def score_grid(spots: Sequence[Spot], x: Measure, y: Measure, score: Callable[[Floats, Floats], Floats]) -> ScoreGrid:
    """Return a score over all that is known of some methods.

    Args:
        spots: The methods.
        x: What the horizontal axis shows.
        y: What the vertical axis shows.
        score: The score of both, a fraction, of arrays of fractions.
    """
    known = [(spot.x, spot.y, spot.published) for spot in spots if spot.x is not None and spot.y is not None]
    published = [there for _, _, there in known if there is not None]
    along = _places([one for one, _, _ in known], [one.mean for one, _ in published], x)
    up = _places([one for _, one, _ in known], [one.mean for _, one in published], y)
    return ScoreGrid(along.tolist(), up.tolist(), score(*np.meshgrid(along, up)).tolist())


def _places(values: Sequence[Summary], published: Sequence[float], measure: Measure) -> Floats:
    """Return places along an axis that shows all means with their intervals, published ones, and zero."""
    ends = [0.0, *published, *(end for value in values for end in (value.mean, *(value.ci95 or ())))]
    low, high = max(min(ends), measure.low), min(max(ends), measure.high)
    margin = max(0.08 * (high - low), 0.01)
    return np.linspace(max(low - margin, measure.low), min(high + margin, measure.high), FINE)
