"""The rows of a run with the answers that the store holds by now, one place per seed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stillproof.core.spec import Json
from stillproof.score.stats import Summary, summarise_accuracies
from stillproof.store.records import Record, Run
from stillproof.store.store import Store

# Shares, and where an answer says of how many images.
COUNTED = {"accuracy": "n_test", "coverage": "real", "robust_accuracy": "n"}


@dataclass(frozen=True, slots=True)
class Effort:
    """What a training run took: seconds on the clock, and floating-point operations as the plan counted them."""

    seconds: float | None
    flops: float | None


@dataclass(frozen=True, slots=True)
class Answered:
    """One row: what it is about, and what is known of each seed.

    Args:
        keys: What the row is about.
        results: One per seed, None where there is no answer.
        reasons: Why there is none, as far as that is known.
        waiting: How many are not computed yet.
        efforts: What the training behind each result took, None where there was none.
        unsupported: Whether there can be no answer for any seed.
    """

    keys: Mapping[str, Any]
    results: Sequence[Json | None]
    reasons: Sequence[str] = ()
    waiting: int = 0
    efforts: Sequence[Effort | None] = ()
    unsupported: bool = False

    def __getitem__(self, key: str) -> Any:
        return self.keys.get(key)

    @property
    def missing(self) -> int:
        """Return the number of seeds without an answer."""
        return sum(result is None for result in self.results)

    def as_dict(self) -> Json:
        """Return the row as JSON values, with its accuracy, if that is what it asks for."""
        accuracy = self.summary()
        known = {"accuracy": accuracy.as_dict() if accuracy else None, "missing": self.missing}
        return {**self.keys, **known, "notes": list(self.reasons)}

    def values(self, name: str = "accuracy") -> list[float | None]:
        """Return a number of each seed's answer, None where there is none."""
        found = [None if result is None else result.get(name) for result in self.results]
        return [value if isinstance(value, int | float) else None for value in found]

    def summary(self, name: str = "accuracy") -> Summary | None:
        """Return the summary of that number over the seeds that have it."""
        known = [value for value in self.values(name) if value is not None]
        return summarise_accuracies(known, self.counted(name)) if known else None

    def counted(self, name: str = "accuracy") -> int | None:
        """Return how many images that number is a share of; nothing, if it is no share or the answers do not say."""
        key = COUNTED.get(name, "")
        found = {result.get(key) for result in self.results if result is not None and name in result}
        count = found.pop() if len(found) == 1 else None
        return count if isinstance(count, int) else None

    def mean_of_all(self, name: str = "accuracy") -> float | None:
        """Return the mean of that number, or nothing if a seed does not have it."""
        return mean_of_all(self.values(name))


def mean_of_all(values: Sequence[float | None]) -> float | None:
    """Return the mean, or nothing if one of the values is missing."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(values) else None


def answered_rows(store: Store, run: Run) -> list[Answered]:
    """Return the rows of a run, from whatever the store holds by now."""
    records = store.results.get_many([cell for row in run.rows for cell in row["cells"]])
    needed = store.results.get_many([origin for record in records.values() for origin in _origins(record)])
    return [_answered(row, records, needed) for row in run.rows]


def _answered(row: Json, records: Mapping[str, Record], needed: Mapping[str, Record]) -> Answered:
    found = [records.get(cell) for cell in row["cells"]]
    trained = [needed.get(next(iter(_origins(record)), "")) for record in found]
    pairs = list(zip(found, trained, strict=True))
    ended = [pair for pair in pairs if pair[0] is not None and pair[0].status in ("failed", "unsupported")]
    results = [record.result if record is not None and record.status == "done" else None for record in found]
    return Answered(
        keys={key: value for key, value in row.items() if key not in ("cells", "reason")},
        results=results,
        reasons=[row["reason"]] if "reason" in row else sorted({_reason(record, train) for record, train in ended}),
        waiting=results.count(None) - len(ended),
        efforts=[None if train is None else Effort(train.seconds, train.where.get("flops")) for train in trained],
        unsupported=all(record is not None and record.status == "unsupported" for record in found),
    )


def _origins(record: Record | None) -> Sequence[str]:
    """Return the cells that an answer is derived from; for one that was never given, the cells that it would read."""
    return () if record is None else record.derived_from if record.status == "done" else record.needs


def _reason(record: Record | None, train: Record | None) -> str:
    """Say why a cell has no answer, in the words of the cell that failed first."""
    error = train.error if train is not None and train.error else record and record.error
    return (error or "unknown").splitlines()[0]
