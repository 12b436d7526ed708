"""Ranks on every side as radars, one for each method: the best rank outside, with those that cannot be excluded."""

from __future__ import annotations

from collections.abc import Sequence

from stillproof.report.figures.looks import looks_of
from stillproof.report.figures.radar import Radar, RadarPanel, Ray, place_of
from stillproof.report.svg.colours import FAINT, GRID, colour_of
from stillproof.report.svg.element import Attribute, Element, element
from stillproof.report.svg.marks import area, line_through, told
from stillproof.report.svg.panel import WIDTH, Drawn, Panel
from stillproof.report.svg.text import LINE, SMALL, Anchor, labels, one_line, shortened

CENTRE, RIM = (WIDTH / 2, 150.0), 104.0
HEIGHT = 300.0
NAMES = 1.1  # how far out names stand
BAND, THICK, DOT = 0.18, 7.0, 4.0
BESIDE = 0.05  # of the rim from the middle: names further out stand beside it


def draw_radar(data: Radar) -> Drawn | None:
    """Draw a polygon of ranks for each method, and a band of the ranks that cannot be excluded."""
    panels = data.shown()
    if not panels:
        return None
    looks = looks_of(panel.method for panel in panels)
    return Drawn([_panel(panel, colour_of(looks[panel.method])) for panel in panels])


def _panel(panel: RadarPanel, colour: str) -> Panel:
    turns = len(panel.rays)
    rim = [_at(turn, turns, 1.0) for turn in range(turns + 1)]
    parts = [line_through(rim, FAINT, width=0.9)]
    for turn, ray in enumerate(panel.rays):
        parts.append(line_through([CENTRE, rim[turn]], GRID, width=0.8))
        parts += _name(ray, turn, turns)
    known = [(turn, ray) for turn, ray in enumerate(panel.rays) if ray.rank is not None]
    corners = [_at(turn, turns, ray.reach(ray.rank or ray.of)) for turn, ray in known]
    if len(corners) > 2:
        parts.append(area(corners, colour, BAND))
    if len(corners) > 1:
        parts.append(line_through([*corners, corners[0]], colour))
    marks = [
        _mark(panel.method, ray, [_at(turn, turns, ray.reach(rank)) for rank in _band(ray)], corner, colour)
        for (turn, ray), corner in zip(known, corners, strict=True)
    ]
    return Panel([*parts, *marks], HEIGHT, panel.method)


def _at(turn: int, turns: int, reach: float) -> tuple[float, float]:
    x, y = place_of(turn, turns, reach)
    return CENTRE[0] + RIM * x, CENTRE[1] - RIM * y


def _band(ray: Ray) -> list[int]:
    return [rank for rank in (ray.best, ray.worst) if rank is not None]


def _mark(
    method: str, ray: Ray, band: Sequence[tuple[float, float]], corner: tuple[float, float], colour: str
) -> Element:
    wide: dict[str, Attribute] = {
        "stroke": colour,
        "stroke_width": THICK,
        "stroke_opacity": 2 * BAND,
        "stroke_linecap": "round",
    }
    ends = [element("line", x1=band[0][0], y1=band[0][1], x2=band[-1][0], y2=band[-1][1], **wide)] if band else []
    possible = f"; {ray.best} to {ray.worst} cannot be excluded" if band else ""
    said = f"{method}, {ray.side}: rank {ray.rank} of {ray.of}{possible}"
    return told(said, *ends, element("circle", cx=corner[0], cy=corner[1], r=DOT, fill=colour))


def _name(ray: Ray, turn: int, turns: int) -> list[Element]:
    """Return the name of a side with the rank, in two lines if there are words."""
    x, y = place_of(turn, turns, NAMES)
    left, top = CENTRE[0] + RIM * x, CENTRE[1] - RIM * y
    beside = abs(x) > BESIDE
    anchor: Anchor = "middle" if not beside else "start" if x > 0 else "end"
    room = (WIDTH - left if x > 0 else left) if beside else WIDTH / 2
    rank = "\u2013" if ray.rank is None else f"{ray.rank}/{ray.of}"
    first, _, rest = one_line(ray.side).partition(" ")
    lines = [shortened(first, room, SMALL), f"{rest} {rank}"] if rest else [f"{first} {rank}"]
    if shortened(lines[-1], room, SMALL) != lines[-1]:
        lines = [*lines[:-1], shortened(rest or first, room, SMALL), rank]
    tall = LINE * SMALL * (len(lines) - 1)
    up = tall if y > 0.5 else -SMALL * 0.8 if y < -0.5 else tall / 2 - 0.36 * SMALL
    return labels(lines, left, top - up, anchor, SMALL, f"{ray.side} {rank}")
