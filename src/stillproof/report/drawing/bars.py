"""Grouped bars with intervals, and published values as markers on them: accuracy under each augmentation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
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
from stillproof.report.figures.captions import caption
from stillproof.report.figures.looks import FAINT, INK, PAPER, Look, looks_of
from stillproof.report.figures.pages import SCREEN, Page, in_lines, middles
from stillproof.report.figures.values import Bar, Bars
from stillproof.report.figures.without_empty import known_bars

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FILLED = 0.86  # share of its place that a bar takes
LEAST, MOST = 0.7, 2.4  # ems that the place of a bar is wide
BETWEEN = 1.2  # ems between groups
TALL = 0.3  # of the width of the figure: a line of bars without its labels


@dataclass(frozen=True, slots=True)
class Line:
    """Groups of a panel that stand side by side, each with its bars and its width in places of bars."""

    panel: str
    groups: Sequence[tuple[str, Sequence[Bar]]]
    widths: Sequence[float]


def draw_bars(data: Bars, page: Page = SCREEN) -> Figure:
    """Draw grouped bars with whiskers, and published values as diamonds."""
    if all(bar.value is None for bar in data.bars):
        raise nothing_to_draw("bars")
    shown = known_bars(data)
    looks = looks_of(bar.method for bar in shown.bars)
    with house_style(page):
        place = _place(shown.bars, page)
        lines = _lines(shown.bars, page, place)
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


def _place(bars: Sequence[Bar], page: Page) -> float:
    """Return the width of the place of one bar, inches: as much as there is, within what looks like a bar."""
    groups = dict.fromkeys((bar.panel, bar.group) for bar in bars)
    panels = dict.fromkeys(panel for panel, _ in groups)
    most = max(sum(bar.panel == panel for bar in bars) for panel in panels)
    between = BETWEEN * page.em * max(sum(panel == there for there, _ in groups) for panel in panels)
    return min(max((_room(page) - between) / most, LEAST * page.em), MOST * page.em)


def _room(page: Page) -> float:
    return page.width - (LABELS + 1.5) * page.em


def _lines(bars: Sequence[Bar], page: Page, place: float) -> list[Line]:
    """Return the groups of each panel in as many lines as they need."""
    found = []
    for panel in dict.fromkeys(bar.panel for bar in bars):
        here = [bar for bar in bars if bar.panel == panel]
        groups = [(name, [bar for bar in here if bar.group == name]) for name in dict.fromkeys(b.group for b in here)]
        widths = [
            max(len(group) * place + BETWEEN * page.em, least_width(name, page.points) + page.em / 2) / place
            for name, group in groups
        ]
        for number, line in enumerate(in_lines(widths, _room(page) / place)):
            title = panel if number == 0 else f"{panel}, continued" if panel else ""
            found.append(Line(title, [groups[one] for one in line], [widths[one] for one in line]))
    return found


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
