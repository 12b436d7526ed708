"""Where synthesis starts: final accuracy, and the steps to the level that real images reach in the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stillproof.report.answers import Answered
from stillproof.report.dc_bench.columns import BEFORE, RULES, about
from stillproof.report.dc_bench.rows import Rows, grouped, missing_notes, paired
from stillproof.report.table import Column, Difference, Percent, Table, Value
from stillproof.score.stats import Summary

REAL = "real"
COLUMNS = (
    *BEFORE,
    Column("init", "start"),
    Column("accuracy", "final %", Summary),
    Column("gain", "over real, points", Difference),
    Column("steps", "steps", int),
    Column("level", "level %", Percent),
    Column("steps_to_level", "steps to level", int),
    Column("share", "of real's steps to it, %", Percent),
    *RULES,
)
NOTES = (
    "level: the final mean accuracy that starting from random real images reaches; steps to level: the first measured "
    "step whose mean reaches it.",
)


def initialisation_tables(rows: Rows) -> list[Table]:
    """Return one line a method and start."""
    found = rows.get("initialisation", [])
    if not found:
        return []
    lines = []
    for group in grouped(found, "dataset", "network", "method", "ipc").values():
        starts = by_start(group)
        lines += [_line(block, starts) for block in starts.values()]
    return [Table("initialisation", "Where synthesis starts", COLUMNS, lines, [*NOTES, *missing_notes(found)])]


def by_start(rows: Sequence[Answered]) -> dict[str, list[Answered]]:
    """Return the rows of each start by their steps."""
    groups = grouped(rows, "init").items()
    return {str(init): sorted(group, key=lambda row: int(row["step"])) for (init,), group in groups}


def _line(block: Sequence[Answered], starts: Mapping[str, Sequence[Answered]]) -> dict[str, Value]:
    last = block[-1]
    line = about(last) | {"init": last["init"], "accuracy": last.summary(), "steps": last["step"]}
    real = starts.get(REAL)
    final = real[-1].summary() if real else None
    if real is None or final is None:
        return line
    own, others = _first_step(block, final.mean), _first_step(real, final.mean)
    gain = None if block is real else paired(last.values(), real[-1].values())
    share = Percent(own / others) if own is not None and others else None
    return line | {"level": Percent(final.mean), "steps_to_level": own, "share": share, "gain": gain}


def _first_step(block: Sequence[Answered], level: float) -> int | None:
    means = ((int(row["step"]), row.summary()) for row in block)
    return next((step for step, summary in means if summary is not None and summary.mean >= level), None)
