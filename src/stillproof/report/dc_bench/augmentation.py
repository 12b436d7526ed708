"""Accuracy under each augmentation, beside what was published."""

from __future__ import annotations

from stillproof.report.dc_bench.augmentation_scores import scores_table
from stillproof.report.dc_bench.columns import (
    ACCURACY,
    BEFORE,
    DISTANCE,
    MISSING,
    PUBLISHED,
    RULES_OF_OWN_RECIPES,
    about,
    beside,
    published_notes,
)
from stillproof.report.dc_bench.rows import Rows, missing_notes
from stillproof.report.table import Column, Table

AUGMENTATION = Column("augmentation", "augmentation")


def augmentation_tables(rows: Rows) -> list[Table]:
    """Return the accuracies, and the scores of each method."""
    found = rows.get("augmentation", [])
    if not found:
        return []
    lines = [about(row) | {"augmentation": row["augmentation"]} | beside(row, row["augmentation"]) for row in found]
    columns = (*BEFORE, AUGMENTATION, ACCURACY, PUBLISHED, DISTANCE, MISSING, *RULES_OF_OWN_RECIPES)
    notes = [*published_notes(lines), *missing_notes(found)]
    table = Table("augmentation", "Accuracy under augmentations", columns, lines, notes)
    return [table, scores_table(found, rows.get("augmentation-choice", []))]
