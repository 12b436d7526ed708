"""Curves with intervals, level lines and published values."""

from __future__ import annotations

import math
from collections.abc import Sequence

from stillproof.core.number_text import size_text
from stillproof.report.figures.looks import Look, looks_of
from stillproof.report.figures.values import Curve, CurvePanel, Curves, Level, Point
from stillproof.report.figures.without_empty import known_curves
from stillproof.report.measure import Measure
from stillproof.report.svg.colours import colour_of
from stillproof.report.svg.curve_axis import axis_along, level_room, shifts_of, ticks_along
from stillproof.report.svg.element import Element
from stillproof.report.svg.legend import chance_entries, lined, marked, plain_lines, published_entries
from stillproof.report.svg.marks import (
    area,
    chance_line,
    diamond,
    line_through,
    mark,
    published_text,
    spot,
    told,
    value_text,
    whisker,
)
from stillproof.report.svg.panel import (
    BOTTOM,
    LEFT,
    NUMBERED,
    RIGHT,
    TOP,
    Drawn,
    Entry,
    Panel,
    height_below,
    number_axis,
    upright_axis,
)
from stillproof.report.svg.scales import Scale, percent_scale

BAND = 0.15  # opacity
MOST_MARKS, MOST_SPOTS = 12, 24  # of a curve


def draw_curves(data: Curves) -> Drawn | None:
    """Draw curves with their intervals, and published values as diamonds in the curve's colour."""
    if not any(isinstance(point, Point) and point.value for point in data.marks()):
        return None
    shown = known_curves(data)
    looks = looks_of(shown.methods())
    marks = list(shown.marks())
    ends = [end for one in marks if one.value for end in (one.value.mean, *(one.value.ci95 or ()))]
    ends += [one.published.mean for one in marks if one.published]
    scale = percent_scale([*ends, *_known(data.chance)], data.measure, BOTTOM, TOP)
    return Drawn([_panel(panel, shown, scale, looks) for panel in shown.panels], _legend(shown, looks))


def _known(chance: float | None) -> list[float]:
    return [] if chance is None else [chance]


def _panel(panel: CurvePanel, data: Curves, scale: Scale, looks: dict[str, Look]) -> Panel:
    xs = sorted({point.x for curve in panel.curves for point in curve.points})
    shifts = shifts_of(panel, xs, data)
    along = axis_along(xs, data, shifts, len(panel.levels))
    parts = upright_axis(scale, data.measure) + number_axis(along, ticks_along(xs, along, data), data.x_name)
    if data.chance is not None:
        parts.append(chance_line(LEFT, RIGHT, scale.at(data.chance)))
    for place, level in enumerate(panel.levels):
        at = RIGHT - level_room(len(panel.levels)) * (place + 0.5)
        parts += _level(level, at, scale, looks[level.method], data)
    for curve, shift in zip(panel.curves, shifts, strict=True):
        parts += _curve(curve, looks[curve.method], along, scale, shift, data)
    return Panel(parts, height_below(NUMBERED, data.x_name), panel.title)


def _curve(curve: Curve, look: Look, along: Scale, scale: Scale, shift: float, data: Curves) -> list[Element]:
    colour = colour_of(look)
    known = sorted((point for point in curve.points if point.value is not None), key=lambda point: point.x)
    places = [(along.at(point.x) + shift, scale.at(point.value.mean)) for point in known if point.value]
    parts = _bands(known, along, scale, colour) if data.banded else []
    if len(places) > 1:
        parts.append(line_through(places, colour, curve.line(look)))
    every, seen = (math.ceil(len(places) / most) or 1 for most in (MOST_MARKS, MOST_SPOTS))
    for number, (point, (x, y)) in enumerate(zip(known, places, strict=True)):
        assert point.value is not None
        if number % every and number % seen:
            continue
        drawn = [mark(look, x, y, hollow=bool(curve.dashed))] if number % every == 0 else [spot(x, y)]
        if point.value.ci95 is not None and not data.banded:
            low, high = point.value.ci95
            drawn = [*whisker(x, (scale.at(low), scale.at(high)), colour), *drawn]
        parts.append(told(_about(curve.method, point, data), *drawn))
    for point in curve.points:
        if point.published is not None:
            said = f"{curve.method} at {size_text(point.x)}: {published_text(point.published)}"
            parts.append(told(said, diamond(along.at(point.x) + shift, scale.at(point.published.mean), colour)))
    return parts


def _about(method: str, point: Point, data: Curves) -> str:
    assert point.value is not None
    return f"{method} at {size_text(point.x)}: {value_text(point.value, data.measure)}"


def _bands(known: Sequence[Point], along: Scale, scale: Scale, colour: str) -> list[Element]:
    """Return a band for each stretch of points that have an interval: none elsewhere would look like certainty."""
    stretches: list[list[tuple[float, float, float]]] = [[]]
    for point in known:
        if point.value is not None and point.value.ci95 is not None:
            low, high = point.value.ci95
            stretches[-1].append((along.at(point.x), scale.at(low), scale.at(high)))
        else:
            stretches.append([])
    whole = [stretch for stretch in stretches if len(stretch) > 1]
    outlines = [[*((x, low) for x, low, _ in one), *((x, high) for x, _, high in reversed(one))] for one in whole]
    return [area(outline, colour, BAND) for outline in outlines]


def _level(level: Level, at: float, scale: Scale, look: Look, data: Curves) -> list[Element]:
    """Return a line across, with its interval as a band or at its right end."""
    colour, y = colour_of(look), scale.at(level.value.mean)
    parts = [line_through([(LEFT, y), (RIGHT, y)], colour, level.style)]
    if level.value.ci95 is not None:
        low, high = map(scale.at, level.value.ci95)
        if data.banded:
            parts.insert(0, area([(LEFT, low), (RIGHT, low), (RIGHT, high), (LEFT, high)], colour, BAND))
        else:
            parts += whisker(at, (low, high), colour)
    found = [told(_level_text(level, data.measure), *parts)]
    if level.published is not None:
        said = f"{level.label}: {published_text(level.published)}"
        found.append(told(said, diamond(RIGHT, scale.at(level.published.mean), colour)))
    return found


def _level_text(level: Level, measure: Measure) -> str:
    return f"{level.label}: {value_text(level.value, measure)}"


def _legend(data: Curves, looks: dict[str, Look]) -> list[Entry]:
    curves = {curve.method: curve for panel in data.panels for curve in panel.curves}
    levels = {level.label: level for panel in data.panels for level in panel.levels}
    entries = [
        marked(
            name,
            looks[name],
            None if data.lines else curve.line(looks[name]),
            hollow=bool(curve.dashed) and not data.lines,
        )
        for name, curve in curves.items()
    ]
    entries += [lined(name, colour_of(looks[level.method]), level.style) for name, level in levels.items()]
    entries += [*plain_lines(data.lines), *chance_entries(data.chance)]
    return [*entries, *published_entries(one.published for one in data.marks())]
