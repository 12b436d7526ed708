"""A heat map of accuracy by method and network."""

from __future__ import annotations

from matplotlib.figure import Figure

from stillproof.report.answers import Answered
from stillproof.report.dc_bench.figure_parts import basis_of, figures_by
from stillproof.report.dc_bench.published_beside import published_beside
from stillproof.report.dc_bench.rows import Rows, grouped, images
from stillproof.report.figures.heat_map import Cell, HeatMap, draw_heat_map


def transfer_figures(rows: Rows) -> dict[str, Figure]:
    """Return a figure a data set and number of images per class."""
    return figures_by("transfer", grouped(rows.get("transfer", []), "dataset", "ipc"), _draw)


def _draw(rows: list[Answered]) -> Figure:
    cells = [Cell(row["method"], row["network"], row.summary(), published_beside(row)) for row in rows]
    title = f"Accuracy on other networks, {images(rows[0]['ipc'])}"
    return draw_heat_map(HeatMap(title, cells, basis_of(rows, "dataset", "ipc"), "method", "network", rows[0]["home"]))
