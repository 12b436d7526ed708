"""Grouped bars with intervals, and published values as markers on them: accuracy under each augmentation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from stillproof.report.drawing.canvas import AROUND, LABELS, canvas, nothing_to_draw
from stillproof.report.drawing.marks import (
    CAP,
    chance_handle,
    draw_chance,
    draw_published,
    draw_whiskers,
    published_handle,
)
from stillproof.report.drawing.style import HATCHES, house_style
from stillproof.report.drawing.text_size import least_width, wrapped_name
from stillproof.report.figures.bar_lines import Line, bar_lines, bar_place
from stillproof.report.figures.captions import caption
from stillproof.report.figures.looks import FAINT, INK, PAPER, Look, looks_of
from stillproof.report.figures.pages import SCREEN, Page, middles
from stillproof.report.figures.values import Bar, Bars
from stillproof.report.figures.without_empty import known_bars

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FILLED = 0.86  # share of its place that a bar takes
TALL = 0.3  # of the width of the figure: a line of bars without its labels


def draw_bars(data: Bars, page: Page = SCREEN) -> Figure:
    """Draw grouped bars with whiskers, and published values as diamonds."""
    if all(bar.value is None for bar in data.bars):
        raise nothing_to_draw("bars")
    shown = known_bars(data)
    looks = looks_of(bar.method for bar in shown.bars)
    with house_style(page):
        place = bar_place(shown.bars, _room(page), page.em)
        lines = bar_lines(shown.bars, place, _room(page), page.em, partial(least_width, points=page.points))
        names = max(wrapped_name(name, width * place, page.points).count("\n") for name, width in _named(lines))
        height = TALL * page.width + (AROUND + 1.3 * names) * page.em
        drawn = canvas(page, len(lines), height=height, least=math.inf)
        widest = max(sum(line.widths) for line in lines)
        for axes, line in zip(drawn.axes, lines, strict=True):
            _line(axes, line, looks, place, page)
            axes.set_xlim(0, widest)
            drawn.percent(axes, "y", data.measure)
            drawn.title(axes, line.panel)
            drawn.name_x(axes, data.group_name)
            if data.chance is not None:
                draw_chance(axes, data.chance)
        low, high = drawn.axes[0].get_ylim()
        drawn.axes[0].set_ylim(max(low, data.measure.low), min(high, data.measure.high))
        return drawn.finish(data.title, caption(data), _handles(shown, looks))


def _room(page: Page) -> float:
    return page.width - (LABELS + 1.5) * page.em


def _named(lines: Sequence[Line]) -> list[tuple[str, float]]:
    return [(name, width) for line in lines for (name, _), width in zip(line.groups, line.widths, strict=True)]


def _line(axes: Axes, line: Line, looks: dict[str, Look], place: float, page: Page) -> None:
    centres = middles(line.widths)
    for (_, bars), middle in zip(line.groups, centres, strict=True):
        for number, bar in enumerate(bars):
            _bar(axes, bar, middle + number - (len(bars) - 1) / 2, looks[bar.method], min(CAP, place * 72 / 5))
    names = [wrapped_name(name, width * place, page.points) for name, width in _named([line])]
    axes.set_xticks(centres, names)
    axes.tick_params(axis="x", length=0)


def _bar(axes: Axes, bar: Bar, x: float, look: Look, cap: float) -> None:
    if bar.value is None:
        axes.annotate("-", (x, 0), (0, 1), textcoords="offset points", ha="center", color=FAINT, fontsize="xx-large")
    else:
        filled: dict[str, Any] = {"hatch": HATCHES[look.fill], "edgecolor": PAPER, "linewidth": 0.0}
        axes.bar(x, bar.value.mean, FILLED, color=look.colour, **filled)
        axes.hlines(bar.value.mean, x - FILLED / 2, x + FILLED / 2, color=look.colour, linewidth=1.2)  # seen at 0, too
        draw_whiskers(axes, [x], [bar.value], INK, cap)
    if bar.published is not None:
        draw_published(axes, x, bar.published, INK, PAPER)


def _handles(data: Bars, looks: dict[str, Look]) -> list[Artist]:
    from matplotlib.patches import Patch

    handles: list[Artist] = [
        Patch(facecolor=look.colour, hatch=HATCHES[look.fill], edgecolor=PAPER, linewidth=0.0, label=method)
        for method, look in looks.items()
    ]
    if any(bar.published for bar in data.bars):
        handles.append(published_handle())
    if data.chance is not None:
        handles.append(chance_handle())
    return handles
