"""Accuracy on networks that a set was not distilled with, beside what was published: table and heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillproof.report.answers import Answered
from stillproof.report.dc_bench.published import WITH_DSA, published_beside
from stillproof.report.dc_bench.transfer_scores import ranking_table, summary_table
from stillproof.report.figures.by_group import basis_of, figures_by
from stillproof.report.figures.heat_map import Cell, HeatMap, draw_heat_map
from stillproof.report.rows import Rows, grouped, images, missing_notes, paired
from stillproof.report.tables.beside_published import DISTANCE, PUBLISHED, beside_published, published_notes
from stillproof.report.tables.columns import ACCURACY, DATASET, HOME, IPC, METHOD, MISSING, NETWORK, RULES, about
from stillproof.report.tables.table import Column, Difference, Table, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DROP = Column("drop", "below home, points", Difference)
COLUMNS = (DATASET, METHOD, IPC, NETWORK, HOME, ACCURACY, DROP, PUBLISHED, DISTANCE, MISSING, *RULES)
DROP_NOTE = "below home: how far below the network that the set was distilled with, seed by seed."
ELSEWHERE_NOTE = "A set that was there before is seen from the same home, whichever network it was made with."


def transfer_tables(rows: Rows) -> list[Table]:
    """Return the table of networks, its summary for each method, and how far the order of methods is preserved."""
    found = rows["transfer"]
    lines = [line for group in grouped(found, "dataset", "method", "ipc").values() for line in _lines(group)]
    made_elsewhere = [ELSEWHERE_NOTE] if any(row["set"] for row in found) else []
    notes = [DROP_NOTE, *made_elsewhere, *published_notes(lines, WITH_DSA), *missing_notes(found)]
    table = Table("transfer", "Accuracy on other networks", COLUMNS, lines, notes)
    return [table, summary_table(found), ranking_table(found)]


def transfer_figures(rows: Rows) -> dict[str, Figure]:
    """Return one figure per data set and number of images per class."""
    return figures_by("transfer", grouped(rows.get("transfer", []), "dataset", "ipc"), _draw)


def _lines(group: list[Answered]) -> list[dict[str, Value]]:
    home = next((row for row in group if row["network"] == row["home"]), None)
    lines = []
    for row in group:
        drop = paired(home.values(), row.values()) if home is not None and row is not home else None
        lines.append(about(row) | beside_published(row, published_beside(row)) | {"home": row["home"], "drop": drop})
    return lines


def _draw(rows: list[Answered]) -> Figure:
    cells = [Cell(row["method"], row["network"], row.summary(), published_beside(row)) for row in rows]
    title = f"Accuracy on other networks, {images(rows[0]['ipc'])}"
    return draw_heat_map(HeatMap(title, cells, basis_of(rows, "dataset", "ipc"), "method", "network", rows[0]["home"]))
