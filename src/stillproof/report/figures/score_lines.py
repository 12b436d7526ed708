"""Lines of equal score in a plane, whatever draws them: at which scores they are, and where their numbers stand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from stillproof.report.figures.score_grid import Floats
from stillproof.report.figures.values import ScoreGrid, Spot

STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)  # of the score, from line to line
MOST = 9  # lines
ROOM = 0.04  # share of the axes around a value


def levels_of(score: ScoreGrid) -> list[float]:
    """Return the scores that have a line."""
    scores = np.array(score.scores)
    step = next((step for step in STEPS if np.ptp(scores) / step <= MOST), STEPS[-1])
    found: list[float] = (np.arange(np.ceil(scores.min() / step), np.floor(scores.max() / step) + 1) * step).tolist()
    return found


def whisker_places(spot: Spot) -> Iterator[tuple[float, float]]:
    """Yield places along both whiskers of a mark, itself among them."""
    assert spot.x is not None and spot.y is not None
    x, y = spot.x.mean, spot.y.mean
    yield from ((float(along), y) for along in np.linspace(*(spot.x.ci95 or (x, x)), 7))
    yield from ((x, float(along)) for along in np.linspace(*(spot.y.ci95 or (y, y)), 7))


def free_place(line: Floats, low: Floats, high: Floats, drawn: Floats) -> tuple[float, float] | None:
    """Return the place on a line that is furthest from all that is drawn; none if there is no room.

    Args:
        line: Places of the line, (points, 2).
        low: The lower ends of both axes.
        high: The upper ends.
        drawn: Places that must not be covered, (n, 2).
    """
    there, marks = (line - low) / (high - low), (drawn - low) / (high - low)
    distances = np.linalg.norm(there[:, None] - marks, axis=2).min(axis=1)
    zeros = np.abs(line / (high - low)).min(axis=1)  # from the lines at zero
    borders = np.minimum(there, 1 - there).min(axis=1)
    room = np.minimum(np.minimum(distances, zeros), borders)
    best = int(room.argmax())
    return (float(line[best, 0]), float(line[best, 1])) if room[best] > ROOM else None
