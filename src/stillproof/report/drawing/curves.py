"""Curves with interval bands, level lines and published values: accuracy over images per class or over steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from stillproof.report.drawing.canvas import canvas, footnote, keep_within, legend, nothing_to_draw, percent_axis
from stillproof.report.drawing.marks import (
    chance_handle,
    draw_chance,
    draw_published,
    draw_whiskers,
    published_handle,
)
from stillproof.report.drawing.number_axes import linear_axis, log_axis
from stillproof.report.drawing.style import INK, PAPER, Look, house_style, looks_of
from stillproof.report.figures.captions import caption
from stillproof.report.figures.values import Curve, CurvePanel, Curves, Level, Point

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

BAND = 0.12  # opacity
ASIDE = 3.0  # points between curves at the same place, so that their whiskers can be told apart


def draw_curves(data: Curves) -> Figure:
    """Draw curves with bands of their intervals, and published values as diamonds in the curve's colour."""
    if not any(isinstance(mark, Point) and mark.value for mark in data.marks()):
        raise nothing_to_draw("curves")
    looks = looks_of(data.methods())
    with house_style():
        figure, all_axes = canvas(data.title, (3.4 + 4.9 * len(data.panels), 5.0), columns=len(data.panels))
        for axes, panel in zip(all_axes, data.panels, strict=True):
            if data.chance is not None:
                draw_chance(axes, data.chance)
            _panel(axes, panel, data, looks)
        for axes in all_axes:
            keep_within(axes, data.measure)
        legend(figure, _handles(data, looks))
        footnote(figure, caption(data))
    return figure


def _panel(axes: Axes, panel: CurvePanel, data: Curves, looks: dict[str, Look]) -> None:
    """Draw levels, then curves over them, and show fractions as percent."""
    for level in panel.levels:
        _level(axes, level, looks[level.method].colour)
    drawn = [_curve(axes, curve, looks[curve.method]) for curve in panel.curves]
    xs = [point.x for curve in panel.curves for point in curve.points]
    if data.linear:
        linear_axis(axes, xs)
    else:
        log_axis(axes, xs)
    for index, artists in enumerate(drawn):
        _move_aside(axes, artists, ASIDE * (index - (len(drawn) - 1) / 2))
    axes.set_title(panel.title, loc="left", fontsize=11)
    percent_axis(axes, "y", data.measure)
    axes.set_xlabel(data.x_name)


def _curve(axes: Axes, curve: Curve, look: Look) -> list[Artist]:
    """Draw a curve and return all that belongs to it."""
    there = set(axes.get_children())
    known = sorted((point.x, point.value.mean, point.value) for point in curve.points if point.value is not None)
    xs, means, values = (list(part) for part in zip(*known, strict=True)) if known else ([], [], [])
    draw_whiskers(axes, xs, values, look.colour)
    inside = PAPER if curve.dashed else look.colour
    style: dict[str, Any] = {"marker": look.marker, "markersize": 5, "markerfacecolor": inside, "zorder": 3.5}
    axes.plot(xs, means, curve.line, color=look.colour, **style)
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


def _handles(data: Curves, looks: dict[str, Look]) -> list[Artist]:
    styles = {curve.method: curve.line for panel in data.panels for curve in panel.curves}
    levels = {level.label: level for panel in data.panels for level in panel.levels}
    handles: list[Artist] = [
        _line(name, looks[name].colour, "" if data.lines else style, looks[name].marker)
        for name, style in styles.items()
    ]
    handles += [_line(label, looks[level.method].colour, level.style) for label, level in levels.items()]
    if data.lines:
        solid, dashed = data.lines
        handles += [_line(solid, INK, "-"), _line(dashed, INK, "--")]
    if data.chance is not None:
        handles.append(chance_handle())
    if any(mark.published for mark in data.marks()):
        handles.append(published_handle())
    return handles


def _line(label: str, colour: str, style: Literal["-", "--", "-.", ""], marker: str = "") -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, linestyle=style, marker=marker, label=label)
