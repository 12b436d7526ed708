"""One panel of curves with interval bands, level lines and published values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from stillproof.report.figures.canvas import percent_axis
from stillproof.report.figures.linear_axis import linear_axis
from stillproof.report.figures.log_axis import log_axis
from stillproof.report.figures.marks import draw_published, draw_whiskers
from stillproof.report.figures.style import PAPER, Look
from stillproof.report.measure import ACCURACY, Measure
from stillproof.report.published import Published
from stillproof.score.stats import Summary

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

BAND = 0.12  # opacity
ASIDE = 3.0  # points between curves at the same place, so that their whiskers can be told apart
BASELINE = "random"  # dashed, so that what every method must beat is seen at once


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a curve; a published value may stand where we have none of our own."""

    x: float
    value: Summary | None
    published: Published | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of one method (or initialisation), whose name gives the look.

    ``dashed`` says how its line is drawn, with hollow marks; where it says nothing, only random images are dashed.
    """

    method: str
    points: Sequence[Point]
    dashed: bool | None = None


@dataclass(frozen=True, slots=True)
class Level:
    """A line across the panel, such as the ceiling of ``full`` data; its method gives the colour."""

    method: str
    label: str
    value: Summary
    published: Published | None = None
    style: Literal["-.", "--", "-"] = "-."


@dataclass(frozen=True, slots=True)
class CurvePanel:
    """Curves and levels that share their axes."""

    curves: Sequence[Curve]
    levels: Sequence[Level] = ()
    title: str = ""


def draw_curve_panel(
    axes: Axes, panel: CurvePanel, looks: dict[str, Look], measure: Measure = ACCURACY, *, linear: bool = False
) -> None:
    """Draw levels, then curves over them, and show fractions as percent; the axis is logarithmic unless ``linear``."""
    for level in panel.levels:
        _level(axes, level, looks[level.method].colour)
    drawn = [_curve(axes, curve, looks[curve.method]) for curve in panel.curves]
    xs = [point.x for curve in panel.curves for point in curve.points]
    if linear:
        linear_axis(axes, xs)
    else:
        log_axis(axes, xs)
    for index, artists in enumerate(drawn):
        _move_aside(axes, artists, ASIDE * (index - (len(drawn) - 1) / 2))
    axes.set_title(panel.title, loc="left", fontsize=11)
    percent_axis(axes, "y", measure)


def line_style(curve: Curve) -> Literal["-", "--"]:
    """Return how the line of a curve is drawn."""
    dashed = curve.method == BASELINE if curve.dashed is None else curve.dashed
    return "--" if dashed else "-"


def _curve(axes: Axes, curve: Curve, look: Look) -> list[Artist]:
    """Draw a curve and return all that belongs to it."""
    there = set(axes.get_children())
    known = sorted((point.x, point.value.mean, point.value) for point in curve.points if point.value is not None)
    xs, means, values = (list(part) for part in zip(*known, strict=True)) if known else ([], [], [])
    draw_whiskers(axes, xs, values, look.colour)
    inside = PAPER if curve.dashed else look.colour
    style: dict[str, Any] = {"marker": look.marker, "markersize": 5, "markerfacecolor": inside, "zorder": 3.5}
    axes.plot(xs, means, line_style(curve), color=look.colour, **style)
    # No band where there is no interval: one of no width would look like certainty.
    low, high = zip(*(value.ci95 or (math.nan, math.nan) for value in values), strict=True) if values else ((), ())
    axes.fill_between(xs, low, high, color=look.colour, alpha=BAND, linewidth=0)
    for point in curve.points:
        if point.published is not None:
            draw_published(axes, point.x, point.published, look.colour)
    return [artist for artist in axes.get_children() if artist not in there]


def _move_aside(axes: Axes, artists: Sequence[Artist], points: float) -> None:
    """Move what is drawn by some points, without a change of its numbers or of the axes."""
    from matplotlib.transforms import ScaledTranslation

    axes.autoscale_view(scaley=False)
    axes.set_autoscalex_on(False)
    figure = axes.get_figure(root=True)
    assert figure is not None
    shift = ScaledTranslation(points / 72, 0, figure.dpi_scale_trans)
    for artist in artists:
        artist.set_transform(axes.transData + shift)


def _level(axes: Axes, level: Level, colour: str) -> None:
    axes.axhline(level.value.mean, color=colour, linestyle=level.style, linewidth=1.4)
    if level.value.ci95 is not None:
        axes.axhspan(*level.value.ci95, color=colour, alpha=BAND, linewidth=0)
    if level.published is not None:
        at_the_edge = axes.get_yaxis_transform()
        draw_published(axes, 1.0, level.published, colour, transform=at_the_edge, clip_on=False)
