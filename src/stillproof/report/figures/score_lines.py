"""Lines along which a score of two numbers is the same, with its value written where there is room."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stillproof.report.figures.canvas import as_percent
from stillproof.report.figures.style import FAINT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)  # of the score, from line to line
MOST = 9  # lines
FINE = 60  # points along each axis that lines are found by
ROOM = 0.04  # share of the axes around a value


def draw_score_lines(axes: Axes, score: Callable[[Floats, Floats], Floats], name: str, drawn: Floats) -> None:
    """Draw lines over all that the axes show.

    Args:
        axes: The axes, whose limits are set.
        score: The score of both numbers, a fraction.
        name: Its name.
        drawn: Places that the values must not cover, (n, 2).
    """
    low, high = np.array([axes.get_xlim(), axes.get_ylim()]).T
    x, y = np.meshgrid(*np.linspace(low, high, FINE).T)
    scores = score(x, y)
    step = next((step for step in STEPS if np.ptp(scores) / step <= MOST), STEPS[-1])
    levels = np.arange(np.ceil(scores.min() / step), np.floor(scores.max() / step) + 1) * step
    if not len(levels):
        return
    lines = axes.contour(x, y, scores, levels=levels, colors=FAINT, linewidths=0.8, linestyles=":", alpha=0.8)
    places = [_free(segments[0], low, high, drawn) for segments in lines.allsegs if segments and len(segments[0])]
    free = [place for place in places if place is not None]
    axes.clabel(lines, fmt=lambda level: f"{name} {as_percent(level)}", fontsize=8, manual=free)


def _free(line: Floats, low: Floats, high: Floats, drawn: Floats) -> tuple[float, float] | None:
    """Return the place on a line, (points, 2), that is furthest from all that is drawn; none if there is no room."""
    there, marks = (line - low) / (high - low), (drawn - low) / (high - low)
    distances = np.linalg.norm(there[:, None] - marks, axis=2).min(axis=1)
    zeros = np.abs(line / (high - low)).min(axis=1)  # from the lines at zero
    borders = np.minimum(there, 1 - there).min(axis=1)
    room = np.minimum(np.minimum(distances, zeros), borders)
    best = int(room.argmax())
    return (float(line[best, 0]), float(line[best, 1])) if room[best] > ROOM else None
