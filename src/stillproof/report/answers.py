"""The rows of a run with the answers that the store holds by now, one place per seed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from stillproof.core.components import metrics
from stillproof.core.spec import Json
from stillproof.report.merged import merged_among
from stillproof.report.stale import stale_among
from stillproof.score.metric import Arrays, Metric, StoredAnswer, no_arrays
from stillproof.score.stats import Summary, summarise
from stillproof.store.records import Record, Run
from stillproof.store.store import Store

DISTURBED = 0.05  # share of the machine that others may use before a time is doubtful


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
        stale: Components that answers stand on which have other numbers by now; such answers are left out.
        merged: The stores from which the answers came that rest on merged ones.
        left_out: Likewise, of answers that are left out for that.
        read: Reads what came of every image, from the artifact that an answer names.
        cells: The cell of each seed; two rows of the same cells ask the same, in whatever words.
    """

    keys: Mapping[str, Any]
    results: Sequence[Json | None]
    reasons: Sequence[str] = ()
    waiting: int = 0
    efforts: Sequence[Effort | None] = ()
    unsupported: bool = False
    stale: Sequence[str] = ()
    merged: Sequence[str] = ()
    left_out: Sequence[str] = ()
    read: Callable[[str], Arrays] | None = None
    cells: Sequence[str] = ()

    def __getitem__(self, key: str) -> Any:
        return self.keys.get(key)

    @property
    def missing(self) -> int:
        """Return the number of seeds without an answer."""
        return sum(result is None for result in self.results)

    @property
    def is_disturbed(self) -> bool:
        """Say whether others used much of the machine while something was timed."""
        return any((share or 0) > DISTURBED for share in self.values("others_cpu"))

    def as_dict(self) -> Json:
        """Return the row as JSON values, with its accuracy, if that is what it asks for."""
        accuracy = self.summary()
        known = {"accuracy": accuracy.as_dict() if accuracy else None, "missing": self.missing}
        known |= {"stale": len(self.stale)} if self.stale else {}
        known |= {"merged": len(self.merged)} if self.merged else {}
        return {**self.keys, **known, "notes": list(self.reasons)}

    def values(self, name: str = "accuracy") -> list[float | None]:
        """Return a number of each seed's answer, None where there is none."""
        found = [None if result is None else result.get(name) for result in self.results]
        return [value if isinstance(value, int | float) else None for value in found]

    def answer(self, seed: int) -> StoredAnswer | None:
        """Return what is known of one seed, as metrics take it."""
        result = self.results[seed]
        if result is None:
            return None
        artifact = result.get("outcomes")
        arrays = no_arrays if self.read is None or artifact is None else partial(self.read, artifact)
        return StoredAnswer(result, arrays)

    def summary(self, metric: str = "accuracy") -> Summary | None:
        """Return a metric over the seeds that have it; what is no metric is a number that answers have by that name."""
        name = metric.replace("_", "-")
        if _takes_answers(name.partition(":")[0]):
            found: Metric[StoredAnswer] = metrics.build(name)
            return found.over_seeds([self.answer(seed) for seed in range(len(self.results))])
        known = [value for value in self.values(metric) if value is not None]
        return summarise(known) if known else None

    def counted(self, key: str = "n_test") -> int | None:
        """Return the number of images that answers have under a key; nothing, if they do not say or differ."""
        found = {result[key] for result in self.results if result is not None and key in result}
        count = found.pop() if len(found) == 1 else None
        return count if isinstance(count, int) else None

    def mean_of_all(self, name: str = "accuracy") -> float | None:
        """Return the mean of that number, or nothing if a seed does not have it."""
        return mean_of_all(self.values(name))


def _takes_answers(metric: str) -> bool:
    return metric in metrics.entries() and getattr(metrics.get(metric), "takes", None) is StoredAnswer


def mean_of_all(values: Sequence[float | None]) -> float | None:
    """Return the mean, or nothing if one of the values is missing."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(values) else None


def answered_rows(store: Store, run: Run, *, own: bool = False) -> list[Answered]:
    """Return the rows of a run, from whatever the store holds by now or, of ``own`` answers, has computed itself."""
    return answers_to(store, run.rows, own=own)


def answers_to(store: Store, rows: Sequence[Json], *, own: bool = False) -> list[Answered]:
    """Return rows that name their cells with what the store holds of these by now, or has computed itself."""
    records = store.results.get_many([cell for row in rows for cell in row["cells"]])
    needed = store.results.get_many([origin for record in records.values() for origin in _origins(record)])
    questions = store.results.behind(list(records))
    about = _About(stale_among(records, questions), merged_among(records, questions), own)
    return [_answered(row, records, needed, about, store.artifacts.arrays) for row in rows]


@dataclass(frozen=True, slots=True)
class _About:
    """Which cells have answers of an older generation, which rest on merged ones, and whether these are left out."""

    stale: Mapping[str, str]
    merged: Mapping[str, str]
    own: bool

    def shows(self, cell: str) -> bool:
        """Say whether the answer of a cell is shown."""
        return cell not in self.stale and not (self.own and cell in self.merged)


def _answered(
    row: Json,
    records: Mapping[str, Record],
    needed: Mapping[str, Record],
    about: _About,
    read: Callable[[str], Arrays],
) -> Answered:
    found = [records.get(cell) for cell in row["cells"]]
    trained = [needed.get(next(iter(_origins(record)), "")) for record in found]
    pairs = list(zip(found, trained, strict=True))
    ended = [
        pair
        for pair in pairs
        if pair[0] is not None
        and (pair[0].status == "failed" or (pair[0].status == "unsupported" and about.shows(pair[0].id)))
    ]
    is_fresh = [record is not None and about.shows(record.id) for record in found]
    answered = [record for record in found if record is not None and record.status in ("done", "unsupported")]
    older = [about.stale[record.id] for record in answered if record.id in about.stale]
    merged = [about.merged[one.id] for one in answered if one.id in about.merged and one.id not in about.stale]
    results = [
        record.result if record is not None and fresh and record.status == "done" else None
        for record, fresh in zip(found, is_fresh, strict=True)
    ]
    return Answered(
        keys={key: value for key, value in row.items() if key not in ("cells", "reason")},
        results=results,
        reasons=[row["reason"]] if "reason" in row else sorted({_reason(record, train) for record, train in ended}),
        waiting=results.count(None) - len(ended) - len(older) - (len(merged) if about.own else 0),
        stale=older,
        merged=[] if about.own else merged,
        left_out=merged if about.own else [],
        efforts=[
            None if train is None or not fresh else Effort(train.seconds, train.where.get("flops"))
            for train, fresh in zip(trained, is_fresh, strict=True)
        ],
        unsupported=all(
            record is not None and fresh and record.status == "unsupported"
            for record, fresh in zip(found, is_fresh, strict=True)
        ),
        read=read,
        cells=tuple(row["cells"]),
    )


def _origins(record: Record | None) -> Sequence[str]:
    """Return the cells that an answer is derived from; for one that was never given, the cells that it would read."""
    return () if record is None else record.derived_from if record.status == "done" else record.needs


def _reason(record: Record | None, train: Record | None) -> str:
    """Say why a cell has no answer, in the words of the cell that failed first."""
    error = train.error if train is not None and train.error else record and record.error
    return (error or "unknown").splitlines()[0]
