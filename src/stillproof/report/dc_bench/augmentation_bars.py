"""Bars of accuracy under each augmentation, a panel a number of images per class."""

from __future__ import annotations

from matplotlib.figure import Figure

from stillproof.report.answers import Answered
from stillproof.report.dc_bench.figure_parts import basis_of, figures_by
from stillproof.report.dc_bench.published_beside import published_beside
from stillproof.report.dc_bench.rows import Rows, grouped, images
from stillproof.report.figures.bars import Bar, Bars, draw_bars


def augmentation_figures(rows: Rows) -> dict[str, Figure]:
    """Return a figure a data set and network."""
    return figures_by("augmentation", grouped(rows.get("augmentation", []), "dataset", "network"), _draw)


def _draw(rows: list[Answered]) -> Figure:
    bars = [
        Bar(
            group=row["augmentation"],
            method=row["method"],
            value=row.summary(),
            published=published_beside(row, row["augmentation"]),
            panel=images(row["ipc"]),
        )
        for row in rows
    ]
    return draw_bars(
        Bars("Accuracy under augmentations", bars, basis_of(rows, "dataset", "network"), group_name="augmentation")
    )
