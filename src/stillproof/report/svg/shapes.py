"""The marks of looks as shapes, all about equally large, and the diamond of what was published."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Literal, TypeAlias

from stillproof.report.figures.looks import Mark
from stillproof.report.svg.element import Attribute, Element, element, number, path_through

Shape: TypeAlias = Mark | Literal["diamond"]
Corners: TypeAlias = Sequence[tuple[float, float]]


def _around(corners: int, turn: float = 0.0, inner: float = 1.0) -> Corners:
    """Return corners on a circle, the first at the top; every second one is further in, if ``inner`` says so."""
    angles = (2 * math.pi * (place / corners + turn) for place in range(corners))
    return [
        (math.sin(angle) * (inner if place % 2 else 1), -math.cos(angle) * (inner if place % 2 else 1))
        for place, angle in enumerate(angles)
    ]


_PLUS = [(-0.35, -1), (0.35, -1), (0.35, -0.35), (1, -0.35), (1, 0.35), (0.35, 0.35)]
_PLUS = [*_PLUS, *((-x, -y) for x, y in _PLUS)]
_DIAGONAL = math.sqrt(0.5)
_HALF = [*((x, y) for x, y in _around(24) if x > -1e-9)]
_CORNERS: Mapping[Shape, Corners] = MappingProxyType(
    {
        "octagon": _around(8, 1 / 16),
        "triangle up": _around(3),
        "triangle down": _around(3, 1 / 2),
        "triangle left": _around(3, 3 / 4),
        "triangle right": _around(3, 1 / 4),
        "plus": _PLUS,
        "cross": [((x - y) * _DIAGONAL, (x + y) * _DIAGONAL) for x, y in _PLUS],
        "pentagon": _around(5),
        "hexagon": _around(6),
        "square": [(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)],
        "star": [(1.15 * x, 1.15 * y) for x, y in _around(10, inner=0.42)],
        "corner upper left": [(-0.9, -0.9), (0.9, -0.9), (-0.9, 0.9)],
        "corner lower right": [(0.9, 0.9), (-0.9, 0.9), (0.9, -0.9)],
        "half disc": [(x - 0.4, y) for x, y in _HALF],
        "diamond": _around(4),
    }
)
REACH = 1.15  # the furthest corner of any shape, in radii


def shape(kind: Shape, x: float, y: float, radius: float, **look: Attribute) -> Element:
    """Return a mark at a place."""
    if kind == "circle":
        return element("circle", cx=x, cy=y, r=0.9 * radius, **look)
    return element("path", d=_path(kind, radius), transform=f"translate({number(x)} {number(y)})", **look)


@cache
def _path(kind: Shape, radius: float) -> str:
    return f"{path_through((radius * x, radius * y) for x, y in _CORNERS[kind])}Z"
