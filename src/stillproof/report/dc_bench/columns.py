"""Columns that many tables of dc-bench have, and how a row fills them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stillproof.report.answers import Answered
from stillproof.report.figures.caption import published_sentence
from stillproof.report.published import Published
from stillproof.report.table import Column, Difference, Value
from stillproof.score.stats import Summary

# What a row is about stands before its numbers; how they were got, behind them.
BEFORE = (
    Column("dataset", "data set", fold="same"),
    Column("network", "network", fold="same"),
    Column("method", "method"),
    Column("ipc", "ipc", int, absent="all"),  # full data has no number of images per class
)
ACCURACY = Column("accuracy", "accuracy %", Summary)
PUBLISHED = Column("published", "published %", Published, "empty")
DISTANCE = Column("difference", "to published, points", Difference, "empty")
MISSING = Column("missing", "missing", int, fold="same")
RULES = (
    Column("recipe", "recipe", fold="same"),
    Column("protocol", "protocol", fold="same"),
    Column("selection", "selection", fold="same"),
    Column("scale", "scale", fold="same"),
)


def about(row: Answered) -> dict[str, Value]:
    """Return what a row says of itself, and how many of its seeds have no answer."""
    return {column.key: row[column.key] for column in (*BEFORE, *RULES)} | {"missing": row.missing}


def beside(accuracy: Summary | None, value: Published | None) -> dict[str, Value]:
    """Return an accuracy, what was published, and by how much the first is above."""
    return {"accuracy": accuracy, "published": value, "difference": _above(accuracy, value)}


def published_notes(rows: Sequence[Mapping[str, Value]], about: str = "") -> list[str]:
    """Say where the published values come from, if there are any."""
    values = [value for row in rows for value in row.values() if isinstance(value, Published)]
    compared = any(row.get(DISTANCE.key) is not None and row.get(PUBLISHED.key) is not None for row in rows)
    interval = " The interval of a difference to one is that of our mean alone." if compared else ""
    return [published_sentence(values, "Published values") + about + interval] if values else []


def _above(accuracy: Summary | None, value: Published | None) -> Difference | None:
    if accuracy is None or value is None:
        return None
    low, high = accuracy.ci95 or (0.0, 0.0)
    ends = (low - value.mean, high - value.mean) if accuracy.ci95 else None
    return Difference(Summary(accuracy.mean - value.mean, accuracy.std, accuracy.n, ends))
