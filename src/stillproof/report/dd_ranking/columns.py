"""Columns that several sections of dd-ranking have, and how several trainings fill them."""

from __future__ import annotations

from collections.abc import Mapping

from stillproof.report.answers import Answered
from stillproof.report.captions import CHOSEN_ON
from stillproof.report.published import Published
from stillproof.report.rows import REAL
from stillproof.report.tables.columns import about
from stillproof.report.tables.table import Column, Difference, Mean, Value
from stillproof.score.stats import Summary

LABEL_KIND = Column("label_kind", "own labels", fold="same")
RATE = Column("rate", "learning rate", fold="same")
LRS = Column("lrs", "LRS", Summary)
# The four accuracies are shown without their intervals, for which a line has no room.
ACCURACIES = (
    Column("real", "real %", Mean),
    Column("hard", "hard %", Mean),
    Column("own", "own %", Mean),
    Column("random", "random %", Mean),
)


def points(key: str, title: str) -> Column:
    """Return the column of a difference."""
    return Column(key, f"{title}, points", Difference)


def published_column(key: str, title: str) -> Column:
    """Return the column of what was published of a number; people do not see it where there is nothing."""
    return Column(f"published_{key}", f"published {title}", Published, "empty")


def about_rows(row: Answered, named: Mapping[str, Answered | None]) -> dict[str, Value]:
    """Return what several trainings are about, how their learning rates were found, and how much is missing.

    Args:
        row: The row that says what they are about.
        named: The trainings that a line is made of, by name.
    """
    asked = {name: other for name, other in named.items() if other is not None}
    missing = sum(other.missing for other in asked.values())
    return about(row) | {"label_kind": row["label_kind"], "rate": _rates(asked), "missing": missing}


def bare(row: Answered | None) -> Mean | None:
    """Return an accuracy that is shown without its interval."""
    value = None if row is None else row.summary()
    return None if value is None else Mean(value)


def _rates(asked: Mapping[str, Answered]) -> str | None:
    """Say whether learning rates are the recipe's own or searched for; of which training, where they differ."""
    rates = {name: rate for name, row in asked.items() if row["images"] != REAL and (rate := rate_of(row))}
    if len(set(rates.values())) <= 1:
        return next(iter(rates.values()), None)
    return ", ".join(f"{name}: {rate}" for name, rate in rates.items())


def rate_of(row: Answered) -> str | None:
    """Return how the learning rate of a training was found; a search by the test images says so."""
    return (
        f"searched on {CHOSEN_ON['oracle']}"
        if (row["rate"], row["protocol"]) == ("searched", "faithful")
        else row["rate"]
    )
