"""Lines along which a score over a plane is the same, by marching squares."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from stillproof.report.figures.values import ScoreGrid

Place: TypeAlias = tuple[float, float]
STRAIGHT = 0.4  # how far a line may lie from where it is drawn
Edge: TypeAlias = tuple[int, int, int]  # column, row, and whether it goes along (0) or up (1)


def contour(grid: ScoreGrid, level: float) -> list[list[Place]]:
    """Return the lines on which the score is a level, each as places one after another, the longest first."""
    beside: dict[Edge, list[Edge]] = {}
    for one, other in _pieces(grid, level):
        beside.setdefault(one, []).append(other)
        beside.setdefault(other, []).append(one)
    lines = []
    left = dict.fromkeys(sorted(beside, key=lambda edge: (len(beside[edge]), edge)))  # ends of lines come first
    while left:
        edge: Edge | None = next(iter(left))
        edges: list[Edge] = []
        while edge is not None:
            del left[edge]
            edges.append(edge)
            edge = next((other for other in beside[edge] if other in left), None)
        closed = edges[:1] if len(edges) > 2 and edges[0] in beside[edges[-1]] else []
        lines.append([_crossing(grid, level, one) for one in (*edges, *closed)])
    return sorted(lines, key=len, reverse=True)


def straightened(line: Sequence[Place]) -> list[Place]:
    """Return a line without those places that lie on the way from one to another anyhow."""
    first, last = line[0], line[-1]
    aside = [_aside(place, first, last) for place in line]
    furthest = max(range(len(line)), key=aside.__getitem__)
    if aside[furthest] <= STRAIGHT:
        return [first, last]
    return [*straightened(line[: furthest + 1])[:-1], *straightened(line[furthest:])]


def _aside(place: Place, first: Place, last: Place) -> float:
    """Return how far a place lies from a straight line between two others, or from both where they are one."""
    along, up = last[0] - first[0], last[1] - first[1]
    right, over = place[0] - first[0], place[1] - first[1]
    length = math.hypot(along, up)
    return math.hypot(right, over) if length == 0 else abs(along * over - up * right) / length


def _pieces(grid: ScoreGrid, level: float) -> Iterator[tuple[Edge, Edge]]:
    """Yield the two edges of each small square between which a line goes."""
    for row in range(len(grid.y) - 1):
        for column in range(len(grid.x) - 1):
            around: Sequence[Edge] = (
                (column, row, 0),
                (column + 1, row, 1),
                (column, row + 1, 0),
                (column, row, 1),
            )
            crossed = [edge for edge in around if _is_crossed(grid, level, edge)]
            yield from ((crossed[place], crossed[place + 1]) for place in range(0, len(crossed) - 1, 2))


def _ends(grid: ScoreGrid, edge: Edge) -> tuple[float, float]:
    column, row, upwards = edge
    return grid.scores[row][column], grid.scores[row + upwards][column + 1 - upwards]


def _is_crossed(grid: ScoreGrid, level: float, edge: Edge) -> bool:
    low, high = _ends(grid, edge)
    return (low < level) != (high < level)


def _crossing(grid: ScoreGrid, level: float, edge: Edge) -> Place:
    column, row, upwards = edge
    low, high = _ends(grid, edge)
    share = (level - low) / (high - low)
    x, y = grid.x[column], grid.y[row]
    if upwards:
        return x, y + share * (grid.y[row + 1] - y)
    return x + share * (grid.x[column + 1] - x), y
