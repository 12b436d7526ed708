"""Columns that several tables of beard have, and how rows fill them."""

from __future__ import annotations

from typing import Any

from stillproof.report.answers import Answered
from stillproof.report.tables import columns
from stillproof.report.tables.table import Column, Mean, Value
from stillproof.score.stats import Summary

BEFORE = columns.BEFORE
DEFENCE = Column("defence", "defence", fold="same", absent="none")
SIZES = Column("sizes", "ipc")  # or all that are pooled
MODE = Column("mode", "attacks", fold="same")
IMAGES = Column("images", "test images", int, fold="same")
CLEAN = Column("clean", "clean %", Summary)


def model_of(row: Answered) -> tuple[Any, ...]:
    """Return what tells the models of a row from others."""
    return tuple(row[key] for key in ("dataset", "network", "method", "ipc", "defence"))


def bare(value: Summary | None) -> Mean | None:
    """Return a number that is shown without its interval."""
    return None if value is None else Mean(value)


def about(row: Answered) -> dict[str, Value]:
    """Return what a row says of itself, and on how many test images models were attacked."""
    counts = {answer.get("n") for answer in row.results if answer is not None}
    images = counts.pop() if len(counts) == 1 else None
    return columns.about(row) | {"defence": row["defence"] or None, "mode": row["mode"], "images": images}
