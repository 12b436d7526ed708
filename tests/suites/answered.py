"""Answered rows of dc-bench by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stillproof.report.answers import Answered, Effort
from stillproof.report.rows import by_section
from stillproof.report.section import sections_named
from stillproof.report.tables.table import Difference, Table, Value
from stillproof.score.stats import Summary
from stillproof.suites.dc_bench.suite import DCBench

BROKEN = "RuntimeError('it went off')"


def row(
    section: str,
    method: str,
    ipc: int | None,
    values: Sequence[float | None],
    name: str = "accuracy",
    seconds: float | None = None,
    flops: float | None = None,
    **keys: Any,
) -> Answered:
    """A row with one value per seed; a seed without one has failed."""
    usual = {"section": section, "dataset": "digits", "method": method, "ipc": ipc}
    usual |= {"network": "convnet-3", "home": "convnet-3"}
    rules = {"recipe": "dc-bench-dsa", "protocol": "fair", "selection": "last", "scale": "paper"}
    results = [None if value is None else {name: value} for value in values]
    efforts = [Effort(seconds, flops) for _ in values]
    return Answered({**usual, **rules, **keys}, results, [BROKEN] * (None in values), 0, efforts)


def tables(rows: Sequence[Answered], section: str) -> dict[str, Table]:
    (asked,) = sections_named(DCBench.reports, [section])
    found = by_section(rows)
    return {table.name: table for table in asked.tables(found)} if section in found else {}


def mean(value: Value) -> float:
    found = value.summary if isinstance(value, Difference) else value
    assert isinstance(found, Summary)
    return found.mean
