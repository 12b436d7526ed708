"""A linear axis with numbers where there are points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOM = 0.05  # share of the axis that a number needs


def linear_axis(axes: Axes, xs: Sequence[float]) -> None:
    """Put numbers at ``xs`` on the horizontal axis, if there is room for all of them."""
    from matplotlib.ticker import FixedLocator, StrMethodFormatter

    places = sorted(set(xs))
    gaps = [second - first for first, second in pairwise(places)]
    if all(gap >= ROOM * (places[-1] - places[0]) for gap in gaps):
        axes.xaxis.set_major_locator(FixedLocator(places))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
