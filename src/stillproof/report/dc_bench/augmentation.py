"""Accuracy under each augmentation, beside what was published: table and bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillproof.report.answers import Answered
from stillproof.report.dc_bench.augmentation_scores import scores_table
from stillproof.report.dc_bench.published import published_beside
from stillproof.report.figures.bars import Bar, Bars, draw_bars
from stillproof.report.figures.by_group import basis_of, figures_by
from stillproof.report.rows import Rows, grouped, images, missing_notes
from stillproof.report.tables.beside_published import DISTANCE, PUBLISHED, beside_published, published_notes
from stillproof.report.tables.columns import ACCURACY, BEFORE, MISSING, RULES_OF_OWN_RECIPES, about
from stillproof.report.tables.table import Column, Table, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AUGMENTATION = Column("augmentation", "augmentation")
COLUMNS = (*BEFORE, AUGMENTATION, ACCURACY, PUBLISHED, DISTANCE, MISSING, *RULES_OF_OWN_RECIPES)
TITLE = "Accuracy under augmentations"


def augmentation_tables(rows: Rows) -> list[Table]:
    """Return the accuracies, and the scores of each method."""
    found = rows["augmentation"]
    lines = [_line(row) for row in found]
    notes = [*published_notes(lines), *missing_notes(found)]
    table = Table("augmentation", TITLE, COLUMNS, lines, notes)
    return [table, scores_table(found, rows.get("augmentation-choice", []))]


def augmentation_figures(rows: Rows) -> dict[str, Figure]:
    """Return one figure per data set and network."""
    return figures_by("augmentation", grouped(rows.get("augmentation", []), "dataset", "network"), _draw)


def _line(row: Answered) -> dict[str, Value]:
    augmentation = row["augmentation"]
    return about(row) | {"augmentation": augmentation} | beside_published(row, published_beside(row, augmentation))


def _draw(rows: list[Answered]) -> Figure:
    """Draw one panel per number of images per class."""
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
    return draw_bars(Bars(TITLE, bars, basis_of(rows, "dataset", "network"), group_name="augmentation"))
