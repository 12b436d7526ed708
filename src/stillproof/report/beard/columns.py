"""Columns that several tables of beard have, and how rows fill them."""

from __future__ import annotations

from stillproof.report.answers import Answered
from stillproof.report.tables import columns
from stillproof.report.tables.table import Column, Value
from stillproof.score.stats import Summary

BEFORE = columns.BEFORE
DEFENCE = Column("defence", "defence", fold="same", absent="none")
MODE = Column("mode", "attacks", fold="same")
IMAGES = Column("images", "test images", int, fold="same")
CLEAN = Column("clean", "clean %", Summary)


def about(row: Answered) -> dict[str, Value]:
    """Return what a row says of itself, and on how many test images models were attacked."""
    counts = {answer.get("n") for answer in row.results if answer is not None}
    images = counts.pop() if len(counts) == 1 else None
    return columns.about(row) | {"defence": row["defence"] or None, "mode": row["mode"], "images": images}
