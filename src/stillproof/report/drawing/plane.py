"""Two differences of each method with their intervals, on lines of equal score: what a score is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stillproof.report.drawing.canvas import Canvas, as_percent, canvas, nothing_to_draw
from stillproof.report.drawing.marks import HOLLOW, mark_handle, published_handle
from stillproof.report.drawing.style import MARKERS, house_style
from stillproof.report.figures.captions import caption
from stillproof.report.figures.looks import FAINT, PAPER, Look, looks_of
from stillproof.report.figures.pages import SCREEN, Page
from stillproof.report.figures.score_grid import Floats
from stillproof.report.figures.score_lines import free_place, levels_of, whisker_places
from stillproof.report.figures.values import Plane, ScoreGrid, Spot
from stillproof.score.stats import Summary

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ARROWS = {"upper left": "\u2196", "upper right": "\u2197"}
LEAST = 20.0  # ems that a panel needs, with what is written on its lines
SIZE = 7.5  # points of a mark


def draw_plane(data: Plane, page: Page = SCREEN) -> Figure:
    """Draw one mark per method, whiskers in both directions, and lines along which the score is the same."""
    spots = data.shown()
    if not spots:
        raise nothing_to_draw("plane")
    looks = looks_of(dict.fromkeys(spot.method for spot in spots))
    panels = list(dict.fromkeys(spot.panel for spot in spots))
    with house_style(page):
        drawn = canvas(page, len(panels), least=LEAST)
        for axes, panel in zip(drawn.axes, panels, strict=True):
            here = [spot for spot in spots if spot.panel == panel]
            _ground(drawn, axes, data, here)
            for spot in here:
                _spot(axes, spot, looks[spot.method])
            drawn.title(axes, panel)
            axes.set_title(f"better: {ARROWS[data.better]}", loc="right", fontsize=page.small, color=FAINT)
        return drawn.finish(data.title, caption(data), _handles(spots, looks))


def _ground(drawn: Canvas, axes: Axes, data: Plane, spots: Sequence[Spot]) -> None:
    axes.set_xlim(data.score.x[0], data.score.x[-1])
    axes.set_ylim(data.score.y[0], data.score.y[-1])
    marks = np.array([place for spot in spots for place in whisker_places(spot)])
    _score_lines(axes, data.score, marks, drawn.page.small)
    axes.axhline(0, color=FAINT, linewidth=1.0)
    axes.axvline(0, color=FAINT, linewidth=1.0)
    drawn.percent(axes, "x", data.x)
    drawn.percent(axes, "y", data.y)
    axes.grid(visible=False)


def _spot(axes: Axes, spot: Spot, look: Look) -> None:
    assert spot.x is not None and spot.y is not None
    x, y = spot.x.mean, spot.y.mean
    for ink, width, height in ((PAPER, 2.8, 2.9), (look.colour, 1.2, 3.0)):
        style: dict[str, Any] = {"elinewidth": width, "capthick": width, "zorder": height, "capsize": 2.5}
        axes.errorbar(x, y, _error(spot.y), _error(spot.x), linestyle="", color=ink, **style)
    rim: dict[str, Any] = {"markeredgecolor": PAPER, "markeredgewidth": 0.6}
    axes.plot(x, y, marker=MARKERS[look.mark], color=look.colour, markersize=SIZE, zorder=3.5, **rim)
    if spot.published is not None:
        there = [value.mean for value in spot.published]
        axes.plot(*there, "D", color="none", markeredgecolor=look.colour, markersize=HOLLOW, zorder=4)


def _error(value: Summary) -> list[list[float]] | None:
    return None if value.ci95 is None else [[value.mean - value.ci95[0]], [value.ci95[1] - value.mean]]


def _handles(spots: Sequence[Spot], looks: dict[str, Look]) -> list[Artist]:
    handles: list[Artist] = [
        mark_handle(method, MARKERS[look.mark], SIZE, look.colour) for method, look in looks.items()
    ]
    return [*handles, published_handle()] if any(spot.published for spot in spots) else handles


def _score_lines(axes: Axes, score: ScoreGrid, drawn: Floats, points: float) -> None:
    """Draw lines over all that the axes show.

    Args:
        axes: The axes, whose limits are set.
        score: The score of both numbers.
        drawn: Places that the values must not cover, (n, 2).
        points: Size of the values.
    """
    low, high = np.array([axes.get_xlim(), axes.get_ylim()]).T
    levels = levels_of(score)
    if not levels:
        return
    style: dict[str, Any] = {"linewidths": 0.8, "linestyles": ":", "alpha": 0.8}
    lines = axes.contour(score.x, score.y, np.array(score.scores), levels=levels, colors=FAINT, **style)
    places = [free_place(segments[0], low, high, drawn) for segments in lines.allsegs if segments and len(segments[0])]
    free = [place for place in places if place is not None]
    axes.clabel(lines, fmt=as_percent, fontsize=points, manual=free)
