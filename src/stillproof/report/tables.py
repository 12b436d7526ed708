"""Tables of suites, from stored records; a missing answer is a dash with its reason, never averaged away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stillproof.core.spec import Json
from stillproof.score.stats import Summary, summarise
from stillproof.store.records import Record, Run
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
    ids = [cell for row in run.rows for cell in row["cells"]]
    records = store.results.get_many(ids)
    needed = store.results.get_many([r.spec["train"] for r in records.values()])
    return [_line(row, records, needed) for row in run.rows]


def _line(row: Json, records: Mapping[str, Record], needed: Mapping[str, Record]) -> Line:
    keys = {key: value for key, value in row.items() if key != "cells"}
    found = [records[cell] for cell in row["cells"] if cell in records]
    done = [record.result["accuracy"] for record in found if record.status == "done" and record.result]
    notes = sorted({_reason(record, needed) for record in found if record.status in ("failed", "unsupported")})
    return Line(keys, summarise(done) if done else None, len(row["cells"]) - len(done), notes)


def _reason(record: Record, needed: Mapping[str, Record]) -> str:
    """Say why a cell has no answer, in the words of the cell that failed first."""
    train = needed.get(record.spec["train"])
    error = train.error if train is not None and train.error else record.error
    return (error or "unknown").splitlines()[0]
