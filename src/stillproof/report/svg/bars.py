"""Grouped bars with intervals, and published values as diamonds on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stillproof.report.figures.bar_lines import MOST, Line, bar_lines, bar_place
from stillproof.report.figures.looks import Look, looks_of
from stillproof.report.figures.pages import middles
from stillproof.report.figures.values import Bar, Bars
from stillproof.report.figures.without_empty import known_bars
from stillproof.report.measure import Measure
from stillproof.report.svg.colours import FAINT, INK, colour_of
from stillproof.report.svg.element import Element
from stillproof.report.svg.hatch import hatched
from stillproof.report.svg.legend import chance_entries, filled, published_entries
from stillproof.report.svg.marks import (
    CAP,
    chance_line,
    diamond,
    line_through,
    published_text,
    told,
    value_text,
    whisker,
)
from stillproof.report.svg.panel import (
    BOTTOM,
    LEFT,
    RIGHT,
    ROOM,
    TOP,
    Drawn,
    Panel,
    axis_name,
    ground_line,
    height_below,
    upright_axis,
)
from stillproof.report.svg.scales import Scale, percent_scale
from stillproof.report.svg.text import LINE, SIZE, SMALL, label, labels, least_width, name_lines

FILLED = 0.86  # share of its place that a bar takes
NAME = 110.0  # a name that is longer than this in one piece is cut


def draw_bars(data: Bars) -> Drawn | None:
    """Draw grouped bars with whiskers, and published values as diamonds."""
    if all(bar.value is None for bar in data.bars):
        return None
    shown = known_bars(data)
    looks = looks_of(bar.method for bar in shown.bars)
    place = min(bar_place(shown.bars, ROOM, SIZE), _widest(shown))
    lines = bar_lines(shown.bars, place, ROOM, SIZE, lambda name: min(least_width(name, SMALL), NAME))
    place = max(place, min(ROOM / max(sum(line.widths) for line in lines), MOST * SIZE))
    most = max(len(_name(group, width, place)) for line in lines for (group, _), width in _named(line))
    scale = percent_scale(_ends(shown), data.measure, BOTTOM, TOP, zero=True)
    entries = [filled(method, colour_of(look), look.fill) for method, look in looks.items()]
    entries += [*published_entries(bar.published for bar in shown.bars), *chance_entries(data.chance)]
    return Drawn([_panel(line, data, scale, place, looks, most) for line in lines], entries)


def _widest(data: Bars) -> float:
    """Return the place of a bar with which the largest group still fits into a line."""
    groups = [(bar.panel, bar.group) for bar in data.bars]
    return (ROOM - 2 * SIZE) / max(map(groups.count, groups))


def _ends(data: Bars) -> list[float]:
    ends = [end for bar in data.bars if bar.value for end in (bar.value.mean, *(bar.value.ci95 or ()))]
    ends += [bar.published.mean for bar in data.bars if bar.published]
    return [*ends, *([data.chance] if data.chance is not None else [])]


def _named(line: Line) -> Iterator[tuple[tuple[str, Sequence[Bar]], float]]:
    return zip(line.groups, line.widths, strict=True)


def _name(group: str, width: float, place: float) -> list[str]:
    return name_lines(group, width * place - 4, SMALL)


def _panel(line: Line, data: Bars, scale: Scale, place: float, looks: dict[str, Look], most: int) -> Panel:
    """Return a line of bars; the longest name of any line has so many lines."""
    parts = upright_axis(scale, data.measure)
    if data.measure.low == 0:
        parts.append(ground_line())
    bars: list[Element] = []
    names: list[Element] = []
    for ((group, here), width), middle in zip(_named(line), middles(line.widths), strict=True):
        centre = LEFT + middle * place
        for number, bar in enumerate(here):
            x = centre + (number - (len(here) - 1) / 2) * place
            bars.append(_bar(bar, x, place * FILLED, scale, data.measure, looks[bar.method]))
        names += labels(_name(group, width, place), centre, BOTTOM + 5 + SMALL, "middle", SMALL, group)
    if data.chance is not None:
        parts.append(chance_line(LEFT, RIGHT, scale.at(data.chance)))
    below = BOTTOM + 5 + LINE * SMALL * most
    named = axis_name(data.group_name, below)
    return Panel([*parts, *bars, *names, *named], height_below(below, data.group_name), line.panel)


def _bar(bar: Bar, x: float, width: float, scale: Scale, measure: Measure, look: Look) -> Element:
    who = f"{bar.method}, {bar.group}"
    zero = scale.at(0.0)
    parts: list[Element] = []
    said: Sequence[str] = [f"{who}: no result"]
    if bar.value is None:
        parts.append(label("\u2013", x, zero - 3, "middle", SIZE, fill=FAINT))
    else:
        said = [f"{who}: {value_text(bar.value, measure)}"]
        top = scale.at(bar.value.mean)
        colour, left = colour_of(look), x - width / 2
        parts += hatched(left, min(top, zero), width, abs(zero - top), colour, look.fill)
        parts.append(line_through([(left, top), (left + width, top)], colour, width=1.4))  # seen at zero, too
        if bar.value.ci95 is not None:
            low, high = bar.value.ci95
            parts += whisker(x, (scale.at(low), scale.at(high)), INK, min(CAP, width / 3))
    if bar.published is not None:
        said = [*said, published_text(bar.published)]
        parts.append(diamond(x, scale.at(bar.published.mean), hollow=False))
    return told("; ".join(said), *parts)
