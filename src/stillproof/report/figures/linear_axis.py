"""A linear axis with numbers where there are points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from stillproof.core.number_text import size_text
from stillproof.report.figures.log_axis import BETWEEN, DIGIT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LEFT_OUT = 4  # one of so many points has a number at least, or there had better be round ones


def linear_axis(axes: Axes, xs: Sequence[float]) -> None:
    """Put numbers at ``xs`` on the horizontal axis, at every second or third where there is no room for all."""
    from matplotlib.ticker import FixedLocator, FuncFormatter

    places = sorted(set(xs))
    for step in range(1, MOST_LEFT_OUT + 1):
        if len(chosen := places[::step]) > 1 and _fit(chosen, places[-1] - places[0]):
            axes.xaxis.set_major_locator(FixedLocator(chosen))
            break
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: size_text(x)))


def _fit(places: Sequence[float], whole: float) -> bool:
    """Say whether the numbers at some places leave room for each other on an axis of a length."""
    digits = [len(size_text(place)) for place in places]
    needs = [DIGIT * (one + other) / 2 + BETWEEN for one, other in pairwise(digits)]
    return all(second - first >= whole * need for (first, second), need in zip(pairwise(places), needs, strict=True))
