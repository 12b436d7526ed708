"""A radar as a frozen value: the ranks of a method on every side, the best outside."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stillproof.report.captions import Basis

INNER = 0.12  # where the last rank lies, so that a method that is last everywhere is still a shape


@dataclass(frozen=True, slots=True)
class Ray:
    """One side.

    Args:
        side: Its name.
        rank: The rank of the method, 1 being the best; none if it is not ranked there.
        best: The best rank that cannot be excluded.
        worst: The worst.
        of: How many methods are ranked.
    """

    side: str
    rank: int | None
    best: int | None
    worst: int | None
    of: int

    def reach(self, rank: int) -> float:
        """Return how far out a rank lies, from the centre at 0 to the rim at 1."""
        return INNER + (1 - INNER) * (self.of - rank) / (self.of - 1) if self.of > 1 else 1.0


@dataclass(frozen=True, slots=True)
class RadarPanel:
    """One method; its rays go round clockwise from the top."""

    method: str
    rays: Sequence[Ray]

    def ranked(self) -> list[Ray]:
        """Return the rays that have a rank."""
        return [ray for ray in self.rays if ray.rank is not None]


@dataclass(frozen=True, slots=True)
class Radar:
    """One panel per method, all with the same sides."""

    title: str
    panels: Sequence[RadarPanel]
    basis: Basis

    def shown(self) -> list[RadarPanel]:
        """Return the methods that have a rank on some side."""
        return [panel for panel in self.panels if panel.ranked()]


def place_of(turn: int, turns: int, reach: float) -> tuple[float, float]:
    """Return the place on a ray: its number of all rays, clockwise from the top, and how far out it is."""
    angle = 2 * math.pi * turn / turns
    return reach * math.sin(angle), reach * math.cos(angle)
