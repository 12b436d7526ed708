"""An empty figure with title, footnote and panels, and the parts that several kinds of figure put on it."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from stillproof.core.errors import BadInput
from stillproof.report.drawing.style import FAINT, INK
from stillproof.report.measure import Measure

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LETTERS_PER_INCH = 15.5  # of the footnote
TITLE_LETTERS_PER_INCH = 9.5
WIDEST = 3  # panels in a line


def canvas(title: str, size: tuple[float, float], rows: int = 1, columns: int = 1) -> tuple[Figure, list[Axes]]:
    """Return a figure of ``size`` inches and its panels, line by line, which share their vertical axis."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    wrapped = textwrap.fill(title, int(size[0] * TITLE_LETTERS_PER_INCH))
    figure.suptitle(wrapped, x=0.01, ha="left", fontsize=13, fontweight="bold", color=INK)
    return figure, list(figure.subplots(rows, columns, sharey=True, squeeze=False).flat)


def grid_size(panels: int) -> tuple[int, int]:
    """Return rows and columns for a number of panels, with as few left empty as possible."""
    rows = math.ceil(panels / WIDEST)
    return rows, math.ceil(panels / rows)


def footnote(figure: Figure, text: str) -> None:
    """Write the sentences under the figure; room is made for them."""
    wrapped = textwrap.fill(text, int(figure.get_figwidth() * LETTERS_PER_INCH))
    figure.supxlabel(wrapped, x=0.01, ha="left", fontsize=8.5, color=FAINT)


def percent_axis(axes: Axes, which: Literal["x", "y"], measure: Measure) -> None:
    """Show the fractions of an axis as percent, points or the like."""
    from matplotlib.ticker import FuncFormatter

    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_formatter(FuncFormatter(as_percent))
    axis.set_label_text(measure.title)
    axes.grid(axis=which)


def keep_within(axes: Axes, measure: Measure) -> None:
    """Cut the vertical axis off at the ends of what it shows; where there are negative values, mark zero."""
    bottom, top = axes.get_ylim()
    axes.set_ylim(max(bottom, measure.low), min(top, measure.high))
    if measure.low < 0:
        axes.axhline(0, color=FAINT, linewidth=1.0, zorder=1.5)


def as_percent(value: float, _place: int | None = None) -> str:
    """Return a fraction as percent without needless zeros."""
    return f"{round(100 * value, 6):g}"


def wrapped_names(names: Sequence[str], inches: float) -> list[str]:
    """Return names that fit under columns of some width; those of components break before their parameters."""
    width = int(inches * TITLE_LETTERS_PER_INCH)
    return [textwrap.fill(name.replace(":", " :"), width).replace(" :", ":") for name in names]


def legend(figure: Figure, handles: Sequence[Artist]) -> None:
    """Put the legend to the right of all panels."""
    figure.legend(handles=list(handles), loc="outside right upper", alignment="left", fontsize=10)


def nothing_to_draw(figure: str) -> BadInput:
    """Return the error for data without a single answer."""
    return BadInput(f"there is nothing to draw in the {figure}: no answer is there yet; `stillproof status` says why.")
