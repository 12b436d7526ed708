"""The horizontal axis of curves: linear or logarithmic, with room for curves that stand aside and for whiskers."""

from __future__ import annotations

from collections.abc import Sequence

from stillproof.core.number_text import size_text
from stillproof.report.figures.values import CurvePanel, Curves
from stillproof.report.svg.marks import RADIUS
from stillproof.report.svg.panel import LEFT, RIGHT, ROOM
from stillproof.report.svg.scales import Scale, linear_ticks, log_scale, log_ticks
from stillproof.report.svg.text import SMALL, text_width

ASIDE = 5.0  # between curves at the same place, so that their whiskers can be told apart
SPREAD = 0.6  # share of the room between two places of a curve that all curves together take
BESIDE = 0.09  # share of the axis left free beside whiskers
LEVEL, LEVELS = 0.03, 0.3  # the same for the whisker of a level, and for those of all of them at most
APART = 6.0  # between zero and the vertical axis
ROUNDED = 12  # digits: round numbers of an axis are off by less


def shifts_of(panel: CurvePanel, xs: Sequence[float], data: Curves) -> list[float]:
    """Return how far each curve stands aside: none where there are bands, and none to the left of zero."""
    curves = len(panel.curves)
    apart = 0.0 if data.banded else min(ASIDE, SPREAD * ROOM / (len(xs) + 1) / curves)
    first = 0.0 if _from_zero(xs, data) else (1 - curves) / 2
    return [apart * (place + first) for place in range(curves)]


def axis_along(xs: Sequence[float], data: Curves, shifts: Sequence[float], levels: int) -> Scale:
    """Return the axis: bands take all of it; whiskers need room beside them, and those of levels at its end."""
    start = end = 0.0
    if not data.banded:
        start = max(BESIDE * ROOM, RADIUS - min(shifts))
        end = max(BESIDE * ROOM, RADIUS + max(shifts)) + levels * level_room(levels)
    if _from_zero(xs, data):
        start = APART
    if data.linear:
        return Scale(xs[0], xs[-1], LEFT + start, RIGHT - end)
    return log_scale(xs, LEFT + start, RIGHT - end)


def level_room(levels: int) -> float:
    """Return the room for the whisker of a level."""
    return ROOM * min(LEVEL, LEVELS / levels) if levels else 0.0


def ticks_along(xs: Sequence[float], along: Scale, data: Curves) -> list[tuple[float, str]]:
    """Return numbers that have room on the axis, with their texts."""

    def text(x: float) -> str:
        return size_text(round(x, ROUNDED)) if data.linear else f"{x:g}"

    def width(x: float) -> float:
        return text_width(text(x), SMALL) + 0.6 * SMALL

    return [(x, text(x)) for x in (linear_ticks if data.linear else log_ticks)(xs, along, width)]


def _from_zero(xs: Sequence[float], data: Curves) -> bool:
    return data.linear and xs[0] == 0
