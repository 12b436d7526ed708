"""Filled rectangles with stripes or dots in the colour of the page, so that bars differ by more than their colour."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from stillproof.report.figures.looks import Fill
from stillproof.report.svg.colours import PAPER
from stillproof.report.svg.element import Element, element, number, path_through

APART = 5.0  # from stripe to stripe
STRIPE, DOT = 1.1, 1.8  # how thick they are
LEAST = 2.0  # side of a rectangle that has any


def hatched(x: float, y: float, width: float, height: float, colour: str, fill: Fill) -> list[Element]:
    """Return a rectangle and what is on it; stripes and dots stay within it."""
    plain = element("rect", x=x, y=y, width=width, height=height, fill=colour)
    if fill == "plain" or min(width, height) < LEAST:
        return [plain]
    if fill == "dotted":
        dots = "".join(f"M{number(x + one)} {number(y + two)}h0" for one, two in _dots(width, height))
        return [plain, element("path", d=dots, stroke=PAPER, stroke_width=DOT, stroke_linecap="round", fill="none")]
    lines = [*_stripes(width, height, "up"), *(_stripes(width, height, "down") if fill == "crossed" else ())]
    path = "".join(path_through((x + one, y + two) for one, two in line) for line in lines)
    return [plain, element("path", d=path, stroke=PAPER, stroke_width=STRIPE, fill="none")]


def _dots(width: float, height: float) -> Iterator[tuple[float, float]]:
    """Yield places in even rows."""
    across, down = (max(1, int(side / APART)) for side in (width, height))
    for row in range(down):
        yield from ((width * (column + 0.5) / across, height * (row + 0.5) / down) for column in range(across))


def _stripes(width: float, height: float, way: Literal["up", "down"]) -> Iterator[list[tuple[float, float]]]:
    """Yield the ends of diagonal lines, each cut off at the sides."""
    for place in range(1, int((width + height) / APART) + 1):
        reach = place * APART  # where the line leaves the left side, seen from the upper corner
        ends = (max(0.0, reach - height), min(width, reach))
        yield [(across, reach - across if way == "up" else height - reach + across) for across in ends]
