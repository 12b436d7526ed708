"""An empty figure with panels, and what all kinds of figures put on it: names, legend, title and caption."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from stillproof.core.errors import BadInput
from stillproof.report.drawing.text_size import text_width, wrapped
from stillproof.report.figures.looks import FAINT
from stillproof.report.figures.pages import LEAST, Page, grid_size
from stillproof.report.measure import Measure

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# All of these are in ems, the size of the text.
LABELS = 4.5  # beside a panel: its numbers and the name of its axis
AROUND = 5.0  # above and below a panel: title, numbers, name
DIGIT = 0.64
HANDLE = 4.0  # of a legend: the mark before each name, and room between names
LINE = 1.35  # from line to line
LEGEND_LINE = 1.5  # the same in a legend
TITLE = 1.2  # size of the title
EDGE = 0.5  # between parts of the figure, and around it
HEIGHT = {1: 0.46, 2: 0.34}  # of a panel, of the width of the figure, by panels in a row


@dataclass(frozen=True)
class Canvas:
    """A figure and its panels, line by line.

    Args:
        figure: The figure.
        page: What it is made for.
        axes: The panels.
        spare: The place of a panel that is not needed.
        columns: Panels in a row.
        panel: Width of a panel without its labels, and height with them, inches.
    """

    figure: Figure
    page: Page
    axes: Sequence[Axes]
    spare: Axes | None
    columns: int
    panel: tuple[float, float]

    def title(self, axes: Axes, text: str) -> None:
        """Write the title of a panel."""
        axes.set_title(wrapped(text, self.panel[0] + EDGE * self.page.em, self.page.points), loc="left")

    def name_x(self, axes: Axes, text: str) -> None:
        """Name a horizontal axis, once below panels that stand one below the other."""
        last = list(self.axes).index(axes) + self.columns >= len(self.axes)
        axes.set_xlabel(wrapped(text, self.panel[0] - self.page.em, self.page.points) if last else "")

    def name_y(self, axes: Axes, text: str) -> None:
        """Name a vertical axis, once beside panels that stand side by side."""
        first = list(self.axes).index(axes) % self.columns == 0
        axes.set_ylabel(wrapped(text, self.panel[1] - 2 * self.page.em, self.page.points) if first else "")

    def percent(self, axes: Axes, which: Literal["x", "y"], measure: Measure) -> None:
        """Show the fractions of an axis as percent, points or the like."""
        from matplotlib.ticker import FuncFormatter

        axis = axes.xaxis if which == "x" else axes.yaxis
        axis.set_major_formatter(FuncFormatter(as_percent))
        axes.grid(axis=which)
        (self.name_x if which == "x" else self.name_y)(axes, measure.title)

    def digit(self) -> float:
        """Return the share of a horizontal axis that a digit takes."""
        return DIGIT * self.page.em / self.panel[0]

    def finish(self, title: str, caption: str, handles: Sequence[Artist] = ()) -> Figure:
        """Add the legend, and title and caption if the page has them; the figure becomes as high as all of it needs."""
        page, em = self.page, self.page.em
        rows = math.ceil(len(self.axes) / self.columns)
        beside = self.spare is not None and (len(handles) + 1) * LEGEND_LINE * em < self.panel[1]
        lines, columns = (0, 1) if beside else _legend_size(handles, page)
        legend = (lines * LEGEND_LINE + EDGE) * em * bool(lines)
        height, note = rows * self.panel[1] + EDGE * em, 0.0
        if page.titled:
            room = page.width - 4 * EDGE * em
            above = wrapped(title, room, TITLE * page.points, bold=True)
            told = wrapped(caption, room, page.small)
            note = (told.count("\n") + 1) * LINE * page.small / 72 + EDGE * em
            height += (above.count("\n") + 2) * TITLE * em + note + legend
            left: dict[str, Any] = {"x": EDGE * em / page.width, "ha": "left"}
            self.figure.suptitle(above, weight="bold", fontsize=TITLE * page.points, **left)
            low: dict[str, Any] = {"y": EDGE * em / 2 / height, "va": "bottom"}
            self.figure.text(s=told, fontsize=page.small, color=FAINT, linespacing=1.25, **left, **low)
        else:
            height += legend
        self.figure.set_size_inches(page.width, height)
        below = (note + legend) / height
        self.figure.get_layout_engine().set(rect=(0, below, 1, 1 - below))  # type: ignore[union-attr,call-arg]
        if beside and self.spare is not None:
            self.spare.legend(handles=list(handles), loc="center left", borderaxespad=0)
        elif handles:
            place: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.5, note / height)}
            self.figure.legend(handles=list(handles), ncols=columns, borderaxespad=EDGE / 2, **place)
        return self.figure


def canvas(page: Page, panels: int, height: float | None = None, least: float = LEAST) -> Canvas:
    """Return a figure with panels, which share their vertical axis.

    Args:
        page: What it is made for.
        panels: Number of panels.
        height: Of a panel with its labels, inches, where it does not follow from the width.
        least: Ems of width that a panel needs; infinitely many for panels below each other.
    """
    from matplotlib.figure import Figure

    rows, columns = grid_size(panels, page, least)
    width = (page.width - LABELS * page.em) / columns - page.em
    high = HEIGHT[columns] * page.width + AROUND * page.em if height is None else height
    figure = Figure(figsize=(page.width, rows * high), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.4 * page.em, h_pad=0.4 * page.em)  # type: ignore[union-attr,call-arg]
    every = list(figure.subplots(rows, columns, sharey=True, squeeze=False).flat)
    for axes in every:
        axes.tick_params(labelsize=page.points)  # numbers are made when a figure is drawn, under whatever settings
    for axes in every[panels:]:
        axes.set_axis_off()
    return Canvas(figure, page, every[:panels], every[panels] if len(every) > panels else None, columns, (width, high))


def _legend_size(handles: Sequence[Artist], page: Page) -> tuple[int, int]:
    """Return lines and columns of a legend below the panels."""
    widths = [
        max(text_width(line, page.points) for line in str(handle.get_label()).split("\n")) + HANDLE * page.em
        for handle in handles
    ]
    if not widths:
        return 0, 1
    columns = max(1, min(len(widths), int(page.width / max(widths))))
    lines = [str(handle.get_label()).count("\n") + 1 for handle in handles]
    whole, more = divmod(len(lines), columns)  # the first columns have one more
    ends = [place * whole + min(place, more) for place in range(columns + 1)]
    return max(sum(lines[start:end]) for start, end in pairwise(ends)), columns


def keep_within(axes: Axes, measure: Measure) -> None:
    """Cut the vertical axis off at the ends of what it shows; where there are negative values, mark zero."""
    bottom, top = axes.get_ylim()
    axes.set_ylim(max(bottom, measure.low), min(top, measure.high))
    if measure.low < 0:
        axes.axhline(0, color=FAINT, linewidth=1.0, zorder=1.5)


def as_percent(value: float, _place: int | None = None) -> str:
    """Return a fraction as percent without needless zeros."""
    return f"{round(100 * value, 6):g}"


def nothing_to_draw(figure: str) -> BadInput:
    """Return the error for data without a single answer."""
    return BadInput(f"nothing to draw in the {figure}: no results yet; `stillproof status` says why.")
