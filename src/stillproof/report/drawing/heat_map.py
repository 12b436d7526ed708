"""A heat map with number, interval and published value in each cell: how well sets transfer to other networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from stillproof.report.drawing.canvas import as_percent, canvas, footnote, nothing_to_draw, wrapped_names
from stillproof.report.drawing.style import HEAT, INK, PAPER, house_style
from stillproof.report.figures.captions import caption
from stillproof.report.figures.values import HeatCell, HeatMap

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

CELL = (1.3, 0.82)  # inches
NO_ANSWER = "#eeeeee"


def draw_heat_map(data: HeatMap) -> Figure:
    """Draw one cell per row and column, with its numbers written in it."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize
    from matplotlib.ticker import FuncFormatter

    means = [cell.value.mean for cell in data.cells if cell.value is not None]
    if not means:
        raise nothing_to_draw("heat map")
    rows = list(dict.fromkeys(cell.row for cell in data.cells))
    columns = list(dict.fromkeys(cell.column for cell in data.cells))
    with house_style():
        size = (max(2.6 + CELL[0] * len(columns), 6.4), 2.2 + CELL[1] * len(rows))
        figure, (axes,) = canvas(data.title, size)
        colours = ScalarMappable(Normalize(min(means), max(means)), LinearSegmentedColormap.from_list("heat", HEAT))
        for cell in data.cells:
            _cell(axes, cell, columns.index(cell.column), rows.index(cell.row), colours)
        _frame(axes, data, rows, columns)
        bar = figure.colorbar(colours, ax=axes, format=FuncFormatter(as_percent), label=data.measure.title)
        bar.outline.set_visible(False)
        footnote(figure, caption(data))
    return figure


def _frame(axes: Axes, data: HeatMap, rows: Sequence[str], columns: Sequence[str]) -> None:
    from matplotlib.patches import Rectangle

    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xticks(range(len(columns)), wrapped_names(columns, CELL[0]))
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xlabel(data.column_name)
    axes.set_ylabel(data.row_name)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    if data.home in columns:
        left = columns.index(data.home) - 0.5
        axes.add_patch(Rectangle((left, -0.5), 1, len(rows), fill=False, edgecolor=INK, linewidth=2.5, clip_on=False))


def _cell(axes: Axes, cell: HeatCell, x: int, y: int, colours: ScalarMappable) -> None:
    from matplotlib.colors import to_hex
    from matplotlib.patches import Rectangle

    colour = NO_ANSWER if cell.value is None else to_hex(colours.to_rgba(np.array([cell.value.mean]))[0])
    axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor=PAPER, linewidth=2))
    small = _small_lines(cell)
    mean = "-" if cell.value is None else f"{100 * cell.value.mean:.1f}"
    axes.text(x, y - 0.11 * len(small), mean, ha="center", va="center", color=INK, fontsize=13, fontweight="bold")
    for line, text in enumerate(small):
        below = y + 0.14 + 0.23 * line - 0.02 * len(small)
        axes.text(x, below, text, ha="center", va="center", color=INK, fontsize=8.5)


def _small_lines(cell: HeatCell) -> list[str]:
    lines = []
    if cell.value is not None and cell.value.ci95 is not None:
        low, high = cell.value.ci95
        lines.append(f"{100 * low:.1f} to {100 * high:.1f}")
    if cell.published is not None:
        lines.append(f"[{cell.published.printed}]")
    return lines
