"""Columns that tables of many suites have, and how a row fills them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from stillproof.report.answers import Answered
from stillproof.report.tables.table import Column, Value
from stillproof.score.stats import Summary

# What a row is about comes before its numbers; how they were computed comes after them.
DATASET = Column("dataset", "data set", fold="same")
NETWORK = Column("network", "network", fold="same")
METHOD = Column("method", "method")
IPC = Column("ipc", "ipc", int, absent="all")  # full data has no number of images per class
BEFORE = (DATASET, NETWORK, METHOD, IPC)
ACCURACY = Column("accuracy", "accuracy %", Summary)
MISSING = Column("missing", "missing", int, fold="same")
HOME = Column("home", "home", fold="same")
RECIPE = Column("recipe", "recipe", fold="same")
PROTOCOL = Column("protocol", "protocol", fold="same")
SELECTION = Column("selection", "selection", fold="same")
SCALE = Column("scale", "scale", fold="same")
RULES = (RECIPE, PROTOCOL, SELECTION, SCALE)
# Where each row has a recipe of its own, which says nothing more than its other columns.
RULES_OF_OWN_RECIPES = (dataclasses.replace(RECIPE, fold="always"), *RULES[1:])


NOTED = ("set", "caveat")  # what rows say of sets that were there before is told below the table


def around(numbers: Sequence[Column], said: Iterable[Mapping[str, Any]]) -> tuple[Column, ...]:
    """Return the usual columns that rows give something to, around those of numbers; all else stands behind these."""
    keys = dict.fromkeys(key for row in said for key in row if key not in NOTED)
    usual = {column.key for column in (*BEFORE, *RULES)}
    before, after = ([column for column in columns if column.key in keys] for columns in (BEFORE, RULES))
    more = [Column(key, key, fold="same", absent="") for key in keys if key not in usual]
    return (*before, *numbers, *more, *after)


def values(said: Mapping[str, Any]) -> dict[str, Value]:
    """Return what a row says as values of a table; lists and fractions cannot be, so that they become text."""
    told = {key: value for key, value in said.items() if key not in NOTED}
    return {key: value if isinstance(value, str | int | None) else str(value) for key, value in told.items()}


def about(row: Answered) -> dict[str, Value]:
    """Return what a row says of itself, and how many of its seeds have no answer."""
    return {column.key: row[column.key] for column in (*BEFORE, *RULES)} | {"missing": row.missing}
