"""Scores under several networks or teachers: the tables and heat maps that both sections have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillproof.report.dd_ranking.drawing import basis_for
from stillproof.report.dd_ranking.order_tables import agreement_table, ranks_table, scores_table
from stillproof.report.dd_ranking.orders import Block, blocks_of
from stillproof.report.dd_ranking.sides import Sides, dash_notes, rows_behind, sides_of
from stillproof.report.figures.by_group import figures_of
from stillproof.report.figures.heat_map import Cell, HeatMap, draw_heat_map
from stillproof.report.measure import score
from stillproof.report.rows import Rows, images, missing_notes
from stillproof.report.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FRAMED = {"network": "where the sets were distilled", "teacher": "with which the others are compared"}


def ordered_tables(rows: Rows, section: str, varied: str) -> list[Table]:
    """Return LRS under each, the places of the methods, and how far their order is that at home."""
    found = sides_of(rows, section, varied)
    blocks = list(blocks_of(found, varied))
    if not blocks:
        return []
    missing = [*dash_notes(found, varied), *missing_notes(rows_behind(found))]
    return [scores_table(section, blocks, missing), ranks_table(section, blocks), agreement_table(section, blocks)]


def ordered_figures(rows: Rows, section: str, varied: str) -> dict[str, Figure]:
    """Return one heat map per data set and number of images per class, and per network where teachers are varied."""
    blocks = blocks_of(sides_of(rows, section, varied), varied)
    groups = {tuple(block.row[key] for key in _shared(block)): block for block in blocks}
    return figures_of(section, groups, lambda block: any(sides.lrs() for sides in _all(block)), _draw)


def _draw(block: Block) -> Figure:
    cells = [
        Cell(method, under, found[under].lrs() if under in found else None)
        for method, found in block.sides.items()
        for under in block.names()
    ]
    basis = basis_for(rows_behind(_all(block)), *_shared(block))
    title = f"LRS by {block.varied}, {images(block.row['ipc'])}"
    return draw_heat_map(
        HeatMap(title, cells, basis, "method", block.varied, block.home, FRAMED[block.varied], score("LRS"))
    )


def _shared(block: Block) -> list[str]:
    return [key for key in ("dataset", "network", "ipc") if key != block.varied]


def _all(block: Block) -> list[Sides]:
    return [sides for found in block.sides.values() for sides in found.values()]
