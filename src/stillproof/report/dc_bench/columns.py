"""Columns that many tables of dc-bench have, and how a row fills them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from stillproof.report.answers import Answered
from stillproof.report.dc_bench.published_beside import published_beside
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
HOME = Column("home", "home", fold="same")
RECIPE = Column("recipe", "recipe", fold="same")
PROTOCOL = Column("protocol", "protocol", fold="same")
SELECTION = Column("selection", "selection", fold="same")
SCALE = Column("scale", "scale", fold="same")
RULES = (RECIPE, PROTOCOL, SELECTION, SCALE)
# Where each row has a recipe of its own, which says nothing more than its other columns.
RULES_OF_OWN_RECIPES = (dataclasses.replace(RECIPE, fold="always"), *RULES[1:])
WITH_DSA = " They are with DSA."


def about(row: Answered) -> dict[str, Value]:
    """Return what a row says of itself, and how many of its seeds have no answer."""
    return {column.key: row[column.key] for column in (*BEFORE, *RULES)} | {"missing": row.missing}


def beside(row: Answered, augmentation: str = "dsa") -> dict[str, Value]:
    """Return the accuracy of a row, what was published, and by how much the first is above."""
    accuracy, value = row.summary(), published_beside(row, augmentation)
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
