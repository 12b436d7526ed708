"""Marks that mean the same in every figure: intervals, published values, levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stillproof.report.figures.looks import FAINT, INK, PAPER
from stillproof.report.published import Published
from stillproof.score.stats import Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

HOLLOW, FILLED = 9.0, 6.5  # size of a diamond around our own mark, and on a bar
CAP = 2.5  # half the width of the end of a whisker, points


def draw_whiskers(
    axes: Axes, xs: Sequence[float], values: Sequence[Summary], colour: str, cap: float = CAP, **place: Any
) -> None:
    """Draw the 95 % intervals that are known, and nothing elsewhere; a pale rim keeps them apart from what is below."""
    known = [(x, value.mean, *value.ci95) for x, value in zip(xs, values, strict=True) if value.ci95 is not None]
    if known:
        x, mean, low, high = np.array(known).T
        errors = (mean - low, high - mean)
        for ink, width, height in ((PAPER, 2.6, 2.9), (colour, 1.1, 3.0)):
            style: dict[str, Any] = {"linewidth": width, "capthick": width, "zorder": height}
            axes.errorbar(x, mean, errors, linestyle="", color=ink, capsize=cap, **style, **place)


def draw_published(axes: Axes, x: float, value: Published, edge: str, fill: str = "none", **place: Any) -> None:
    """Draw a published value as a diamond; without a filling, our own mark is seen through it."""
    size = HOLLOW if fill == "none" else FILLED
    axes.plot(
        x, value.mean, "D", color=fill, markeredgecolor=edge, markersize=size, markeredgewidth=1.3, zorder=4, **place
    )


def mark_handle(label: str, marker: str, size: float, colour: str) -> Line2D:
    """Return a filled mark of the legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle="", marker=marker, color=colour, markersize=size, label=label)


def hollow_handle(label: str, marker: str, size: float) -> Line2D:
    """Return a mark of the legend of which the rim alone is drawn."""
    handle = mark_handle(label, marker, size, "none")
    handle.set_markeredgecolor(INK)
    return handle


def published_handle() -> Line2D:
    """Return the diamond of the legend."""
    return hollow_handle("published", "D", HOLLOW)


def draw_chance(axes: Axes, chance: float) -> None:
    """Draw the accuracy of guessing as a dotted line."""
    axes.axhline(chance, color=FAINT, linestyle=":", linewidth=1.2)


def chance_handle() -> Line2D:
    """Return the dotted line of the legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], color=FAINT, linestyle=":", linewidth=1.2, label="chance")
