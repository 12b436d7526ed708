"""Two numbers of each method with their intervals, on lines of equal score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from stillproof.report.figures.looks import Look, looks_of
from stillproof.report.figures.score_lines import free_place, levels_of, whisker_places
from stillproof.report.figures.values import Plane, Spot
from stillproof.report.svg.colours import FAINT, PAPER, colour_of
from stillproof.report.svg.contour import contour, straightened
from stillproof.report.svg.element import Element
from stillproof.report.svg.legend import marked, published_entries
from stillproof.report.svg.marks import diamond, line_through, mark, published_text, told, value_text, whisker
from stillproof.report.svg.panel import (
    BOTTOM,
    LEFT,
    NUMBERED,
    RIGHT,
    TOP,
    WIDTH,
    Drawn,
    Panel,
    height_below,
    number_axis,
)
from stillproof.report.svg.scales import Scale, percent_text, percent_ticks
from stillproof.report.svg.text import SMALL, label, shortened, text_width

Box: TypeAlias = tuple[float, float, float, float]
ARROWS = {"upper left": "\u2196", "upper right": "\u2197"}
SIZE = 5.6  # of a mark
BETTER = 80.0  # that the hint at the right takes


def draw_plane(data: Plane) -> Drawn | None:
    """Draw one mark per method, whiskers in both directions, and lines along which the score is the same."""
    spots = data.shown()
    if not spots:
        return None
    looks = looks_of(spot.method for spot in spots)
    x = Scale(data.score.x[0], data.score.x[-1], LEFT, RIGHT)
    y = Scale(data.score.y[0], data.score.y[-1], BOTTOM, TOP)
    panels = [
        _panel(data, [spot for spot in spots if spot.panel == panel], looks, x, y)
        for panel in dict.fromkeys(spot.panel for spot in spots)
    ]
    entries = [marked(name, look, None) for name, look in looks.items()]
    return Drawn(panels, [*entries, *published_entries(spot.published for spot in spots)])


def _panel(data: Plane, spots: Sequence[Spot], looks: dict[str, Look], x: Scale, y: Scale) -> Panel:
    parts = [label(f"better: {ARROWS[data.better]}", RIGHT, SMALL, "end", SMALL, fill=FAINT)]
    parts.append(label(shortened(data.y.title, WIDTH - BETTER - 30, SMALL), 0, SMALL, size=SMALL, fill=FAINT))
    parts += number_axis(x, [(value, percent_text(value)) for value in percent_ticks(x)], data.x.title)
    parts.append(line_through([(LEFT, TOP), (LEFT, BOTTOM)], FAINT, width=1.0))
    for value in percent_ticks(y, 5):
        parts.append(line_through([(LEFT - 4, y.at(value)), (LEFT, y.at(value))], FAINT, width=1.0))
        parts.append(label(percent_text(value), LEFT - 6, y.at(value) + 0.36 * SMALL, "end", SMALL, fill=FAINT))
    if x.low < 0 < x.high:
        parts.append(line_through([(x.at(0), TOP), (x.at(0), BOTTOM)], FAINT, width=1.0))
    if y.low < 0 < y.high:
        parts.append(line_through([(LEFT, y.at(0)), (RIGHT, y.at(0))], FAINT, width=1.0))
    parts += _score_lines(data, spots, x, y)
    parts += [part for spot in spots for part in _spot(spot, data, looks[spot.method], x, y)]
    return Panel(parts, height_below(NUMBERED, data.x.title), spots[0].panel)


def _score_lines(data: Plane, spots: Sequence[Spot], x: Scale, y: Scale) -> list[Element]:
    """Return the lines, each with its number where it covers nothing."""
    taken = [place for spot in spots for place in whisker_places(spot)]
    low, high = np.array([x.low, y.low]), np.array([x.high, y.high])
    parts: list[Element] = []
    boxes: list[Box] = []
    for level in levels_of(data.score):
        lines = contour(data.score, level)
        parts += [
            line_through(straightened([(x.at(one), y.at(two)) for one, two in line]), FAINT, "dotted", 1.0, opacity=0.8)
            for line in lines
        ]
        place = free_place(np.array(lines[0]), low, high, np.array(taken)) if lines else None
        if place is None:
            continue
        text = percent_text(level)
        box = (x.at(place[0]), y.at(place[1]), text_width(text, SMALL) / 2 + 2, SMALL / 2 + 1)
        taken.append(place)
        if not any(_cover(box, other) for other in boxes):
            boxes.append(box)
            parts.append(_on_line(text, box[0], box[1]))
    return parts


def _on_line(text: str, x: float, y: float) -> Element:
    """Return the number of a line, which is cut off around it."""
    below = y + 0.36 * SMALL
    return label(text, x, below, "middle", SMALL, fill=FAINT, stroke=PAPER, stroke_width=3, paint_order="stroke")


def _cover(one: Box, other: Box) -> bool:
    """Say whether two boxes, each a middle and half of its width and height, have a place in common."""
    return abs(one[0] - other[0]) < one[2] + other[2] and abs(one[1] - other[1]) < one[3] + other[3]


def _spot(spot: Spot, data: Plane, look: Look, x: Scale, y: Scale) -> list[Element]:
    assert spot.x is not None and spot.y is not None
    along, up, colour = x.at(spot.x.mean), y.at(spot.y.mean), colour_of(look)
    parts: list[Element] = []
    if spot.x.ci95 is not None:
        parts += whisker(up, (x.at(spot.x.ci95[0]), x.at(spot.x.ci95[1])), colour, flat=True)
    if spot.y.ci95 is not None:
        parts += whisker(along, (y.at(spot.y.ci95[0]), y.at(spot.y.ci95[1])), colour)
    said = f"{data.x.name} {value_text(spot.x, data.x)}; {data.y.name} {value_text(spot.y, data.y)}"
    found = [told(f"{spot.method}: {said}", *parts, mark(look, along, up, radius=SIZE))]
    if spot.published is not None:
        one, two = spot.published
        there = diamond(x.at(one.mean), y.at(two.mean), colour)
        found.append(told(f"{spot.method}: {published_text(one)}; {published_text(two)}", there))
    return found
