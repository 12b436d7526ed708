"""Grouped bars with intervals, and published values as markers on them: accuracy under each augmentation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stillproof.report.drawing.canvas import canvas, footnote, legend, nothing_to_draw, percent_axis, wrapped_names
from stillproof.report.drawing.marks import (
    chance_handle,
    draw_chance,
    draw_published,
    draw_whiskers,
    published_handle,
)
from stillproof.report.drawing.style import FAINT, INK, PAPER, Look, house_style, looks_of
from stillproof.report.figures.captions import caption
from stillproof.report.figures.values import Bar, Bars

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FILLED = 0.82  # share of a group's width that its bars take


def draw_bars(data: Bars) -> Figure:
    """Draw grouped bars with whiskers, and published values as diamonds."""
    if all(bar.value is None for bar in data.bars):
        raise nothing_to_draw("bars")
    panels, groups, methods = (
        list(dict.fromkeys(names))
        for names in zip(*((bar.panel, bar.group, bar.method) for bar in data.bars), strict=True)
    )
    looks = looks_of(methods)
    with house_style():
        width = min(max(5.0, 0.34 * len(groups) * len(methods)), 13.0)
        figure, all_axes = canvas(data.title, (width + 2.2, 1.9 + 2.3 * len(panels)), rows=len(panels))
        for axes, panel in zip(all_axes, panels, strict=True):
            _panel(axes, [bar for bar in data.bars if bar.panel == panel], groups, looks, width / len(groups))
            percent_axis(axes, "y", data.measure)
            axes.set_title(panel, loc="left", fontsize=11)
            if data.chance is not None:
                draw_chance(axes, data.chance)
        all_axes[-1].set_xlabel(data.group_name)
        all_axes[-1].set_ylim(0, min(all_axes[-1].get_ylim()[1], 1.0))
        legend(figure, _handles(data, looks))
        footnote(figure, caption(data))
    return figure


def _panel(axes: Axes, bars: Sequence[Bar], groups: Sequence[str], looks: dict[str, Look], inches: float) -> None:
    width = FILLED / len(looks)
    methods = list(looks)
    for bar in bars:
        x = groups.index(bar.group) + (methods.index(bar.method) - (len(methods) - 1) / 2) * width
        if bar.value is None:
            axes.annotate("-", (x, 0), (0, 1), textcoords="offset points", ha="center", fontsize=15, color=FAINT)
        else:
            axes.bar(x, bar.value.mean, width * 0.92, color=looks[bar.method].colour)
            draw_whiskers(axes, [x], [bar.value], INK)
        if bar.published is not None:
            draw_published(axes, x, bar.published, INK, PAPER)
    axes.set_xticks(range(len(groups)), wrapped_names(groups, inches))
    axes.set_xlim(-0.55, len(groups) - 0.45)
    axes.tick_params(axis="x", length=0)


def _handles(data: Bars, looks: dict[str, Look]) -> list[Artist]:
    from matplotlib.patches import Patch

    handles: list[Artist] = [Patch(color=look.colour, label=method) for method, look in looks.items()]
    if any(bar.published for bar in data.bars):
        handles.append(published_handle())
    if data.chance is not None:
        handles.append(chance_handle())
    return handles
