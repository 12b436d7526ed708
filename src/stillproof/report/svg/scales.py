"""Where a number lies on an axis, and which numbers stand beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from stillproof.report.measure import Measure

LEAST = 2.0  # percent that an axis goes over
STEPS = (1.0, 2.0, 5.0, 10.0)
MOST_LEFT_OUT = 4  # one of so many points has a number at least, or there had better be round ones
ROUND_ROOM = 55.0  # that a round number takes
BELOW = 0.4  # decades that zero is left of the smallest number of a logarithmic axis


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from ``low`` at ``start`` to ``high`` at ``end``; what is beyond its ends lies on them."""

    low: float
    high: float
    start: float
    end: float
    bend: Callable[[float], float] = float

    def at(self, value: float) -> float:
        """Return the place of a number."""
        low, high = self.bend(self.low), self.bend(self.high)
        if low == high:
            return (self.start + self.end) / 2
        share = (self.bend(min(max(value, self.low), self.high)) - low) / (high - low)
        return self.start + share * (self.end - self.start)


def percent_scale(values: Iterable[float], measure: Measure, start: float, end: float, *, zero: bool = False) -> Scale:
    """Return an axis of fractions that ends at round percents, within what can be; ``zero`` is shown if it is asked."""
    found = [min(max(value, measure.low), measure.high) for value in (*values, *([0.0] if zero else ()))]
    low, high = 100 * min(found), 100 * max(found)
    room = max(0.04 * (high - low), (LEAST - high + low) / 2)
    least = low if zero and low == 0 else low - room
    step = _step(least, high + room, 5)
    ends = math.floor(least / step) * step / 100, math.ceil((high + room) / step) * step / 100
    return Scale(max(ends[0], measure.low), min(ends[1], measure.high), start, end)


def percent_ticks(scale: Scale, most: int = 6) -> list[float]:
    """Return the round percents of an axis, as fractions."""
    return [round(percent / 100, 12) for percent in round_numbers(100 * scale.low, 100 * scale.high, most)]


def _step(low: float, high: float, most: int) -> float:
    """Return a round step of which at most so many lie between two numbers."""
    rough = (high - low) / most or 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in STEPS if step * power >= rough * (1 - 1e-9))


def percent_text(fraction: float) -> str:
    """Return a fraction as percent without needless zeros."""
    return f"{round(100 * fraction, 6) + 0.0:g}"


def log_scale(xs: Sequence[float], start: float, end: float) -> Scale:
    """Return a logarithmic axis; where zero is among the numbers, the part up to the smallest other one is linear."""
    smallest = min((x for x in xs if x > 0), default=1.0)
    first = math.log10(smallest)

    def bend(x: float) -> float:
        return math.log10(x) if x >= smallest else first - BELOW * (1 - x / smallest)

    return Scale(min(xs), max(xs), start, end, bend)


def log_ticks(xs: Sequence[float], scale: Scale, width: Callable[[float], float]) -> list[float]:
    """Return those numbers that leave room for each other, the first and the last among them.

    Args:
        xs: Numbers that could stand there.
        scale: The axis.
        width: How wide a number is, with room around it.
    """
    every = sorted(set(xs))
    kept = every[:1]
    for x in every[1:-1]:
        if _fit([kept[-1], x, every[-1]], scale, width):
            kept.append(x)
    return list(dict.fromkeys((*kept, every[-1])))


def linear_ticks(xs: Sequence[float], scale: Scale, width: Callable[[float], float]) -> list[float]:
    """Return the numbers themselves, or every second or third, where there is room for them; else round ones."""
    every = sorted(set(xs))
    for step in range(1, MOST_LEFT_OUT + 1):
        if len(chosen := every[::step]) > 1 and _fit(chosen, scale, width):
            return chosen
    most = int((scale.end - scale.start) / ROUND_ROOM)
    return every if len(every) == 1 else round_numbers(every[0], every[-1], most)


def _fit(xs: Sequence[float], scale: Scale, width: Callable[[float], float]) -> bool:
    return all(scale.at(two) - scale.at(one) >= (width(one) + width(two)) / 2 for one, two in pairwise(xs))


def round_numbers(low: float, high: float, most: int) -> list[float]:
    """Return round numbers between two."""
    step = _step(low, high, most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(place * step, 12) for place in range(first, last + 1)]
