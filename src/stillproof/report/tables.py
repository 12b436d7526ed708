"""Accuracy tables of suites, from stored records; a missing answer is a dash with its reason, never averaged away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stillproof.core.spec import Json
from stillproof.report.answers import Answered, answered_rows
from stillproof.score.stats import Summary
from stillproof.store.records import Run
from stillproof.store.store import Store


@dataclass(frozen=True, slots=True)
class Line:
    """One row: what it is about, its accuracy over the seeds that have an answer, and what is missing."""

    keys: Mapping[str, Any]
    accuracy: Summary | None
    missing: int
    notes: Sequence[str] = field(default=())

    def as_dict(self) -> Json:
        """Return the row as JSON values."""
        accuracy = self.accuracy.as_dict() if self.accuracy else None
        return {**self.keys, "accuracy": accuracy, "missing": self.missing, "notes": list(self.notes)}


def accuracy_lines(store: Store, run: Run) -> list[Line]:
    """Return the rows of a run, from whatever the store holds by now."""
    return [line_of(row) for row in answered_rows(store, run)]


def line_of(row: Answered) -> Line:
    """Return a row with its accuracy, if that is what it asks for."""
    return Line(row.keys, row.summary(), row.missing, row.reasons)
