"""Two differences of each method with their intervals, on lines of equal score: what a score is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from stillproof.report.captions import Basis, cut_sentence, join, published_sentence, seeds_sentence
from stillproof.report.figures.canvas import canvas, footnote, legend, nothing_to_draw, percent_axis
from stillproof.report.figures.marks import HOLLOW, published_handle
from stillproof.report.figures.score_lines import Floats, draw_score_lines
from stillproof.report.figures.style import FAINT, PAPER, Look, house_style, looks_of
from stillproof.report.measure import Measure
from stillproof.report.published import Published
from stillproof.score.stats import Summary

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Span = tuple[float, float]
ARROWS = {"upper left": "\u2196", "upper right": "\u2197"}


@dataclass(frozen=True, slots=True)
class Spot:
    """A method's place; ``published`` is where it was published to be, ``panel`` the title of its panel."""

    method: str
    x: Summary | None
    y: Summary | None
    published: tuple[Published, Published] | None = None
    panel: str = ""


@dataclass(frozen=True, slots=True)
class Plane:
    """A figure of methods; panels come in the order in which they are first named.

    Args:
        title: Title.
        spots: The methods.
        basis: What holds for all numbers.
        x: What the horizontal axis shows.
        y: What the vertical axis shows.
        score_name: What the lines are of.
        score: The score of both, a fraction.
        better: The corner towards which it grows.
    """

    title: str
    spots: Sequence[Spot]
    basis: Basis
    x: Measure
    y: Measure
    score_name: str
    score: Callable[[Floats, Floats], Floats]
    better: Literal["upper left", "upper right"]


def draw_plane(data: Plane) -> Figure:
    """Draw one mark per method, whiskers in both directions, and lines along which the score is the same."""
    spots = [spot for spot in data.spots if spot.x is not None and spot.y is not None]
    if not spots:
        raise nothing_to_draw("plane")
    looks = looks_of(dict.fromkeys(spot.method for spot in spots))
    panels = list(dict.fromkeys(spot.panel for spot in spots))
    spans = _span(spots, 0, data.x), _span(spots, 1, data.y)
    with house_style():
        figure, all_axes = canvas(data.title, (2.8 + 4.4 * len(panels), 5.2), columns=len(panels))
        for axes, panel in zip(all_axes, panels, strict=True):
            here = [spot for spot in spots if spot.panel == panel]
            _ground(axes, data, spans, here)
            for spot in here:
                _spot(axes, spot, looks[spot.method])
            axes.set_title(panel, loc="left", fontsize=11)
            axes.set_title(f"better: {ARROWS[data.better]}", loc="right", fontsize=9, color=FAINT)
        for axes in all_axes[1:]:
            axes.set_ylabel("")
        legend(figure, _handles(spots, looks))
        footnote(figure, _caption(data, spots))
    return figure


def _span(spots: Sequence[Spot], axis: Literal[0, 1], measure: Measure) -> Span:
    """Return what an axis shows: all means with their intervals, published ones, and zero."""
    values = [value for spot in spots if (value := (spot.x, spot.y)[axis]) is not None]
    published = [spot.published[axis].mean for spot in spots if spot.published is not None]
    ends = [0.0, *published, *(end for value in values for end in (value.mean, *(value.ci95 or ())))]
    low, high = max(min(ends), measure.low), min(max(ends), measure.high)
    margin = max(0.08 * (high - low), 0.01)
    return max(low - margin, measure.low), min(high + margin, measure.high)


def _ground(axes: Axes, data: Plane, spans: tuple[Span, Span], spots: Sequence[Spot]) -> None:
    axes.set_xlim(spans[0])
    axes.set_ylim(spans[1])
    drawn = [place for spot in spots for place in _places(spot)]
    draw_score_lines(axes, data.score, data.score_name, np.array(drawn))
    axes.axhline(0, color=FAINT, linewidth=1.0)
    axes.axvline(0, color=FAINT, linewidth=1.0)
    percent_axis(axes, "x", data.x)
    percent_axis(axes, "y", data.y)
    axes.grid(visible=False)


def _places(spot: Spot) -> Iterator[tuple[float, float]]:
    """Yield places along both whiskers of a mark, itself among them."""
    assert spot.x is not None and spot.y is not None
    x, y = spot.x.mean, spot.y.mean
    yield from ((float(along), y) for along in np.linspace(*(spot.x.ci95 or (x, x)), 7))
    yield from ((x, float(along)) for along in np.linspace(*(spot.y.ci95 or (y, y)), 7))


def _spot(axes: Axes, spot: Spot, look: Look) -> None:
    assert spot.x is not None and spot.y is not None
    x, y = spot.x.mean, spot.y.mean
    for ink, width, height in ((PAPER, 2.8, 2.9), (look.colour, 1.2, 3.0)):
        style: dict[str, Any] = {"elinewidth": width, "capthick": width, "zorder": height, "capsize": 2.5}
        axes.errorbar(x, y, _error(spot.y), _error(spot.x), linestyle="", color=ink, **style)
    rim: dict[str, Any] = {"markeredgecolor": PAPER, "markeredgewidth": 0.6}
    axes.plot(x, y, marker=look.marker, color=look.colour, markersize=9, zorder=3.5, **rim)
    if spot.published is not None:
        there = [value.mean for value in spot.published]
        axes.plot(*there, "D", color="none", markeredgecolor=look.colour, markersize=HOLLOW, zorder=4)


def _error(value: Summary) -> list[list[float]] | None:
    return None if value.ci95 is None else [[value.mean - value.ci95[0]], [value.ci95[1] - value.mean]]


def _caption(data: Plane, spots: Sequence[Spot]) -> str:
    values = [value for spot in spots for value in (spot.x, spot.y)]
    lines = f"Dotted lines: the same {data.score_name}, from 0 to 100."
    absent = sorted({f"{spot.method} ({spot.panel})" for spot in data.spots if spot.x is None or spot.y is None})
    missing = f"No answer: {', '.join(absent)}." if absent else ""
    published = published_sentence([value for spot in spots for value in spot.published or ()], "Diamonds")
    cut = cut_sentence([spot.x for spot in spots], data.x) or cut_sentence([spot.y for spot in spots], data.y)
    return join(data.basis.sentence(), lines, seeds_sentence(values, "whiskers"), cut, missing, published)


def _handles(spots: Sequence[Spot], looks: dict[str, Look]) -> list[Artist]:
    from matplotlib.lines import Line2D

    handles: list[Artist] = [
        Line2D([], [], linestyle="", marker=look.marker, color=look.colour, markersize=9, label=method)
        for method, look in looks.items()
    ]
    return [*handles, published_handle()] if any(spot.published for spot in spots) else handles
