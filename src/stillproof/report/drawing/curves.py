"""Curves with intervals, level lines and published values: accuracy over images per class or over steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stillproof.report.drawing.canvas import Canvas, canvas, keep_within, nothing_to_draw
from stillproof.report.drawing.marks import (
    chance_handle,
    draw_chance,
    draw_published,
    draw_whiskers,
    published_handle,
)
from stillproof.report.drawing.number_axes import linear_axis, log_axis
from stillproof.report.drawing.style import LINES, MARKERS, house_style
from stillproof.report.figures.captions import caption
from stillproof.report.figures.looks import INK, PAPER, Line, Look, looks_of
from stillproof.report.figures.pages import SCREEN, Page
from stillproof.report.figures.values import Curve, CurvePanel, Curves, Level, Point
from stillproof.report.figures.without_empty import known_curves

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

BAND = 0.15  # opacity
ASIDE = 3.0  # points between curves at the same place, so that their whiskers can be told apart
SPREAD = 0.6  # share of the room between two places of a curve that all curves together take
BESIDE = 0.1  # share of the axis left free beside whiskers
APART = 4.0  # points between zero and the vertical axis
MOST_MARKS = 12  # of a curve


def draw_curves(data: Curves, page: Page = SCREEN) -> Figure:
    """Draw curves with their intervals, and published values as diamonds in the curve's colour."""
    if not any(isinstance(mark, Point) and mark.value for mark in data.marks()):
        raise nothing_to_draw("curves")
    shown = known_curves(data)
    looks = looks_of(shown.methods())
    with house_style(page):
        drawn = canvas(page, len(shown.panels))
        for axes, panel in zip(drawn.axes, shown.panels, strict=True):
            if data.chance is not None:
                draw_chance(axes, data.chance)
            _panel(drawn, axes, panel, data, looks)
        for axes in drawn.axes:
            keep_within(axes, data.measure)
        return drawn.finish(data.title, caption(data), _handles(shown, looks))


def _panel(drawn: Canvas, axes: Axes, panel: CurvePanel, data: Curves, looks: dict[str, Look]) -> None:
    """Draw levels, then curves over them, and show fractions as percent."""
    for place, level in enumerate(panel.levels):
        _level(axes, level, looks[level.method].colour, place, banded=data.banded)
    curves = [_curve(axes, curve, looks[curve.method], banded=data.banded) for curve in panel.curves]
    xs = [point.x for curve in panel.curves for point in curve.points]
    axes.margins(x=0.0 if data.banded else BESIDE)
    (linear_axis if data.linear else log_axis)(axes, xs, drawn.digit())
    if not data.banded:
        _move_all_aside(axes, curves, xs, 72 * drawn.panel[0])
    if data.linear and min(xs) == 0:
        axes.set_xlim(left=0)  # nothing is to the left of no change at all, and the axis stands clear of what is there
        axes.spines.left.set_position(("outward", APART))
    drawn.title(axes, panel.title)
    drawn.percent(axes, "y", data.measure)
    drawn.name_x(axes, data.x_name)


def _curve(axes: Axes, curve: Curve, look: Look, *, banded: bool) -> list[Artist]:
    """Draw a curve and return all that belongs to it."""
    there = set(axes.get_children())
    known = sorted((point.x, point.value.mean, point.value) for point in curve.points if point.value is not None)
    xs, means, values = (list(part) for part in zip(*known, strict=True)) if known else ([], [], [])
    if banded:
        # No band where there is no interval: one of no width would look like certainty.
        low, high = zip(*(value.ci95 or (math.nan, math.nan) for value in values), strict=True) if values else ((), ())
        axes.fill_between(xs, low, high, color=look.colour, alpha=BAND, linewidth=0)
    else:
        draw_whiskers(axes, xs, values, look.colour)
    inside = PAPER if curve.dashed else look.colour
    every = math.ceil(len(xs) / MOST_MARKS) or 1
    style: dict[str, Any] = {"marker": MARKERS[look.mark], "markerfacecolor": inside, "markevery": every}
    # Marks at the ends of an axis are whole.
    axes.plot(xs, means, LINES[curve.line(look)], color=look.colour, zorder=3.5, clip_on=False, **style)
    for point in curve.points:
        if point.published is not None:
            draw_published(axes, point.x, point.published, look.colour)
    return [artist for artist in axes.get_children() if artist not in there]


def _move_all_aside(axes: Axes, curves: Sequence[Sequence[Artist]], xs: Sequence[float], width: float) -> None:
    """Move curves apart, so that their whiskers can be told apart, but none to the left of zero; a width in points."""
    apart = min(ASIDE, SPREAD * width / (len(set(xs)) + 1) / len(curves))
    first = 0.0 if min(xs) == 0 else (1 - len(curves)) / 2
    for place, artists in enumerate(curves):
        _move_aside(axes, artists, apart * (place + first))


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


def _level(axes: Axes, level: Level, colour: str, place: int, *, banded: bool) -> None:
    """Draw a line across, with its interval as a band or at its right end."""
    axes.axhline(level.value.mean, color=colour, linestyle=LINES[level.style])
    across = axes.get_yaxis_transform()
    if banded and level.value.ci95 is not None:
        axes.axhspan(*level.value.ci95, color=colour, alpha=BAND, linewidth=0)
    elif not banded:
        draw_whiskers(axes, [1.0 - 0.03 * (place + 0.5)], [level.value], colour, transform=across)
    if level.published is not None:
        draw_published(axes, 1.0, level.published, colour, transform=across, clip_on=False)


def _handles(data: Curves, looks: dict[str, Look]) -> list[Artist]:
    lines = {curve.method: curve.line(looks[curve.method]) for panel in data.panels for curve in panel.curves}
    levels = {level.label: level for panel in data.panels for level in panel.levels}
    handles: list[Artist] = [
        _line(name, looks[name].colour, None if data.lines else line, MARKERS[looks[name].mark])
        for name, line in lines.items()
    ]
    handles += [_line(label, looks[level.method].colour, level.style) for label, level in levels.items()]
    if data.lines:
        solid, dashed = data.lines
        handles += [_line(solid, INK, "solid"), _line(dashed, INK, "dashed")]
    if data.chance is not None:
        handles.append(chance_handle())
    if any(mark.published for mark in data.marks()):
        handles.append(published_handle())
    return handles


def _line(label: str, colour: str, line: Line | None, marker: str = "") -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, linestyle="" if line is None else LINES[line], marker=marker, label=label)
