"""Published values beside our own: their columns, and the notes on where they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stillproof.report.answers import Answered
from stillproof.report.captions import published_sentence
from stillproof.report.published import Published
from stillproof.report.tables.table import Column, Difference, Value
from stillproof.score.stats import Summary

PUBLISHED = Column("published", "published %", Published, "empty")
DISTANCE = Column("difference", "to published, points", Difference, "empty")


def beside_published(row: Answered, value: Published | None) -> dict[str, Value]:
    """Return the accuracy of a row, what was published, and by how much the first is above."""
    accuracy = row.summary()
    return {"accuracy": accuracy, PUBLISHED.key: value, DISTANCE.key: _above(accuracy, value)}


def published_notes(rows: Sequence[Mapping[str, Value]], about: str = "") -> list[str]:
    """Say where the published values come from, if there are any."""
    values = [value for row in rows for value in row.values() if isinstance(value, Published)]
    compared = any(row.get(DISTANCE.key) is not None and row.get(PUBLISHED.key) is not None for row in rows)
    interval = " The interval of a difference to such a value is that of our mean alone." if compared else ""
    return [published_sentence(values, "Published values") + about + interval] if values else []


def _above(accuracy: Summary | None, value: Published | None) -> Difference | None:
    if accuracy is None or value is None:
        return None
    low, high = accuracy.ci95 or (0.0, 0.0)
    ends = (low - value.mean, high - value.mean) if accuracy.ci95 else None
    return Difference(Summary(accuracy.mean - value.mean, accuracy.std, accuracy.n, ends, accuracy.rule))
