"""Holm's adjustment: of many tests, some come out small by chance."""

from __future__ import annotations

from collections.abc import Sequence


def holm(chances: Sequence[float]) -> list[float]:
    """Return p-values adjusted for being that many, in the same order.

    The chance that any difference that is not there is below 0.05 afterwards is at most 0.05, whether or not the tests
    depend on each other.
    """
    order = sorted(range(len(chances)), key=lambda place: chances[place])
    adjusted = [0.0] * len(chances)
    least = 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(chances) - rank) * chances[place]))
        adjusted[place] = least
    return adjusted
