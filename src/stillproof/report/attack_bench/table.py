"""The comparison of attacks as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stillproof.report.tables.table import Column, Percent, Seconds, Table, Value

COLUMNS = (
    Column("model", "model", fold="same"),
    Column("attack", "attack"),
    Column("optimality", "optimality %", Percent),
    Column("global", "over all models %", Percent, fold="empty", absent=""),
    Column("robust", "robust %", Percent),
    Column("eps", "at eps"),
    Column("passes", "passes per image", absent=""),
    Column("seconds", "time", Seconds, absent=""),
)
MEANING = (
    "optimality: 100 if no other attack finds a nearer change of any image, 0 if it finds none (AttackBench). Names "
    "with a slash are other libraries'. An attack within a ball has its radius searched for with the same passes."
)


def bench_table(rows: Sequence[Mapping[str, Any]], dataset: str, norm: str, budget: int, n: int) -> Table:
    """Return the table of rows as ``attack-bench --json`` has them."""
    several = len({row["model"] for row in rows}) > 1
    title = f"Strength of attacks in {norm}, {n} test images of {dataset}, {budget} passes"
    notes = [MEANING, *(f"{row['attack']}: {row['reason']}" for row in rows if row["reason"])]
    return Table("attack-bench", title, COLUMNS, [_line(row, several=several) for row in rows], notes)


def _line(row: Mapping[str, Any], *, several: bool) -> dict[str, Value]:
    passes = row["passes_per_image"]
    return {
        "model": row["model"],
        "attack": row["attack"],
        "optimality": _percent(row["optimality"]),
        "global": _percent(row["global_optimality"]) if several else None,
        "robust": _percent(row["robust_accuracy"]),
        "eps": f"{row['eps']:.3g}",
        "passes": None if passes is None else f"{passes:.0f}",
        "seconds": None if row["seconds"] is None else Seconds(row["seconds"]),
    }


def _percent(fraction: float | None) -> Percent | None:
    return None if fraction is None else Percent(fraction)
