"""Horizontal axes whose numbers people can read: logarithmic, or linear with numbers where there are points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from stillproof.core.number_text import size_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BETWEEN = 0.66  # digits left free between numbers
ROUND_DIGITS = 7  # that a round number takes, with room around it
SHORT = 5  # letters of a number that is no fraction; longer ones are not round
ROUNDED = 12  # digits: round numbers of an axis are off by less
MOST_LEFT_OUT = 4  # one of so many points has a number at least, or there had better be round ones


def log_axis(axes: Axes, xs: Sequence[float], digit: float) -> None:
    """Make the horizontal axis logarithmic, with numbers at ``xs`` where they fit.

    Where zero is among them (the step before the first), the part up to the smallest step is linear. A digit takes
    ``digit`` of the axis.
    """
    from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

    if not xs:
        return
    smallest = min((x for x in xs if x > 0), default=1.0)
    if min(xs) > 0:
        axes.set_xscale("log")
    else:
        axes.set_xscale("symlog", linthresh=smallest, linscale=0.4)
    axes.xaxis.set_major_locator(FixedLocator(_readable(sorted(set(xs)), smallest, digit)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))


def _readable(xs: Sequence[float], smallest: float, digit: float) -> list[float]:
    """Return those numbers that leave room for each other, the first and the last among them."""
    places = [math.log10(x) if x > 0 else math.log10(smallest) - 0.4 for x in xs]
    whole = places[-1] - places[0]

    def fit(one: int, other: int) -> bool:
        digits = (len(f"{xs[one]:g}") + len(f"{xs[other]:g}")) / 2
        return places[other] - places[one] > whole * digit * (digits + BETWEEN)

    last = len(xs) - 1
    kept = [0]
    for index in range(1, last):
        if fit(kept[-1], index) and fit(index, last):
            kept.append(index)
    return [xs[index] for index in dict.fromkeys((*kept, last))]


def linear_axis(axes: Axes, xs: Sequence[float], digit: float) -> None:
    """Put numbers at ``xs`` on the horizontal axis, at every second or third where there is no room for all.

    A digit takes ``digit`` of the axis.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

    places = sorted(set(xs))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=max(1, int(1 / digit / ROUND_DIGITS)), steps=[1, 2, 5, 10]))
    for step in range(1, MOST_LEFT_OUT + 1):
        if len(chosen := places[::step]) > 1 and _fit(chosen, places[-1] - places[0], digit):
            axes.xaxis.set_major_locator(FixedLocator(chosen))
            break
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: size_text(round(x, ROUNDED))))


def _fit(places: Sequence[float], whole: float, digit: float) -> bool:
    """Say whether the numbers at some places are short, and leave room for each other on an axis of a length."""
    if not all("/" in text or len(text) <= SHORT for text in map(size_text, places)):
        return False
    digits = [len(size_text(place)) for place in places]
    needs = [digit * ((one + other) / 2 + BETWEEN) for one, other in pairwise(digits)]
    return all(second - first >= whole * need for (first, second), need in zip(pairwise(places), needs, strict=True))
