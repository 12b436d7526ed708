"""Accuracy on networks that a set was not distilled with, beside what was published."""

from __future__ import annotations

from stillproof.report.answers import Answered
from stillproof.report.dc_bench.columns import (
    ACCURACY,
    BEFORE,
    DISTANCE,
    HOME,
    MISSING,
    PUBLISHED,
    RULES,
    WITH_DSA,
    about,
    beside,
    published_notes,
)
from stillproof.report.dc_bench.rows import Rows, grouped, missing_notes, paired
from stillproof.report.dc_bench.transfer_scores import ranking_table, summary_table
from stillproof.report.table import Column, Difference, Table, Value

DATASET, NETWORK, METHOD, IPC = BEFORE
DROP = Column("drop", "below home, points", Difference)
COLUMNS = (DATASET, METHOD, IPC, NETWORK, HOME, ACCURACY, DROP, PUBLISHED, DISTANCE, MISSING, *RULES)
DROP_NOTE = "below home: what the network that the set was distilled with has more, seed by seed."


def transfer_tables(rows: Rows) -> list[Table]:
    """Return the table of networks, its summary for each method, and how far the order of methods is preserved."""
    found = rows.get("transfer", [])
    if not found:
        return []
    lines = [line for group in grouped(found, "dataset", "method", "ipc").values() for line in _lines(group)]
    notes = [DROP_NOTE, *published_notes(lines, WITH_DSA), *missing_notes(found)]
    table = Table("transfer", "Accuracy on other networks", COLUMNS, lines, notes)
    return [table, summary_table(found), ranking_table(found)]


def _lines(group: list[Answered]) -> list[dict[str, Value]]:
    home = next((row for row in group if row["network"] == row["home"]), None)
    lines = []
    for row in group:
        drop = paired(home.values(), row.values()) if home is not None and row is not home else None
        lines.append(about(row) | beside(row) | {"home": row["home"], "drop": drop})
    return lines
