"""A heat map with number, interval and published value in each cell: how well sets transfer to other networks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stillproof.report.drawing.canvas import as_percent, canvas, nothing_to_draw
from stillproof.report.drawing.style import house_style
from stillproof.report.drawing.text_size import least_width, text_width, wrapped_name
from stillproof.report.figures.captions import caption
from stillproof.report.figures.looks import HEAT, INK, NO_ANSWER, PAPER
from stillproof.report.figures.pages import SCREEN, Page, in_lines
from stillproof.report.figures.values import HeatCell, HeatMap
from stillproof.report.figures.without_empty import known_cells

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

WIDEST = 11.0  # ems of a cell
LINE = 1.25  # ems from line to line in a cell
BAR = 6.0  # ems that the bar of colours takes


def draw_heat_map(data: HeatMap, page: Page = SCREEN) -> Figure:
    """Draw one cell per row and column, with its numbers written in it; columns continue below if there are many."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize
    from matplotlib.ticker import FuncFormatter

    means = [cell.value.mean for cell in data.cells if cell.value is not None]
    if not means:
        raise nothing_to_draw("heat map")
    cells = known_cells(data).cells
    rows = list(dict.fromkeys(cell.row for cell in cells))
    columns = list(dict.fromkeys(cell.column for cell in cells))
    with house_style(page):
        named = max(text_width(row, page.points) for row in rows)
        room = page.width - named - 3.5 * page.em
        lines = in_lines([_least(cells, columns, page)] * len(columns), room)
        width = min(room / max(map(len, lines)), WIDEST * page.em)
        tall = (max(len(_texts(cell, width, page)) for cell in cells) + 0.9) * LINE * page.em
        names = max(wrapped_name(column, width, page.points).count("\n") for column in columns)
        height = len(rows) * tall + (4.0 + names * LINE + BAR / len(lines)) * page.em
        drawn = canvas(page, len(lines), height, least=math.inf)
        colours = ScalarMappable(Normalize(min(means), max(means)), LinearSegmentedColormap.from_list("heat", HEAT))
        for axes, line in zip(drawn.axes, lines, strict=True):
            here = [columns[place] for place in line]
            for cell in cells:
                if cell.column in here:
                    _cell(axes, cell, here.index(cell.column), rows.index(cell.row), colours, (width, tall), page)
            axes.set_xlim(-0.5, max(map(len, lines)) - 0.5)
            axes.set_xticks(range(len(here)), [wrapped_name(name, width, page.points) for name in here])
            _frame(axes, data, rows, here)
            drawn.name_x(axes, data.column_name)
            drawn.name_y(axes, data.row_name)
        where: dict[str, Any] = {"location": "bottom", "aspect": 30, "shrink": 0.7, "pad": 0.02}
        form = FuncFormatter(as_percent)
        bar = drawn.figure.colorbar(colours, ax=drawn.axes, format=form, label=data.measure.title, **where)
        bar.outline.set_visible(False)
        return drawn.finish(data.title, caption(data))


def _least(cells: Sequence[HeatCell], columns: Sequence[str], page: Page) -> float:
    """Return the least width of a cell, inches: its interval may stand in two lines, a name breaks where it can."""
    texts = [part for cell in cells for text in _small_texts(cell) for part in _halves(text)]
    widths = [*(text_width(text, page.small) for text in texts), text_width("00.0", page.points, bold=True)]
    return max(*widths, *(least_width(column, page.points) for column in columns)) + 0.7 * page.em


def _frame(axes: Axes, data: HeatMap, rows: Sequence[str], columns: Sequence[str]) -> None:
    from matplotlib.patches import Rectangle

    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    if data.home in columns:
        left = columns.index(data.home) - 0.5
        axes.add_patch(Rectangle((left, -0.5), 1, len(rows), fill=False, edgecolor=INK, linewidth=2.0, clip_on=False))


def _cell(
    axes: Axes, cell: HeatCell, x: int, y: int, colours: ScalarMappable, size: tuple[float, float], page: Page
) -> None:
    from matplotlib.colors import to_hex
    from matplotlib.patches import Rectangle

    colour = NO_ANSWER if cell.value is None else to_hex(colours.to_rgba(np.array([cell.value.mean]))[0])
    axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor=PAPER, linewidth=1.5))
    texts = _texts(cell, size[0], page)
    step = LINE * page.em / size[1]
    for line, text in enumerate(texts):
        below = y + step * (line - (len(texts) - 1) / 2)
        sized: dict[str, Any] = {"fontsize": page.small} if line else {"fontsize": page.points, "fontweight": "bold"}
        axes.text(x, below, text, ha="center", va="center", color=INK, **sized)


def _texts(cell: HeatCell, width: float, page: Page) -> list[str]:
    """Return the mean and what stands below it, in lines that fit."""
    lines = ["-" if cell.value is None else f"{100 * cell.value.mean:.1f}"]
    for text in _small_texts(cell):
        lines += [text] if text_width(text, page.small) <= width - 0.5 * page.em else _halves(text)
    return lines


def _halves(text: str) -> list[str]:
    return text.replace(" to ", " to\n").split("\n")


def _small_texts(cell: HeatCell) -> list[str]:
    lines = []
    if cell.value is not None and cell.value.ci95 is not None:
        low, high = cell.value.ci95
        lines.append(f"{100 * low:.1f} to {100 * high:.1f}")
    if cell.published is not None:
        lines.append(f"[{cell.published.printed}]")
    return lines
