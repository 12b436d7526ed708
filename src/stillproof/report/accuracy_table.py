"""The table of a suite whose every row is an accuracy."""

from __future__ import annotations

from collections.abc import Sequence

from stillproof.report.formats import ABOUT, NAMES
from stillproof.report.table import Column, Table
from stillproof.report.tables import Line
from stillproof.score.stats import Summary


def accuracy_table(name: str, lines: Sequence[Line]) -> Table:
    """Return the lines as a table; what a suite says beyond the usual comes behind the numbers."""
    said = dict.fromkeys(key for line in lines for key in line.keys)
    before = [Column(key, NAMES.get(key, key), absent="all" if key == "ipc" else "-") for key in ABOUT if key in said]
    after = [Column(key, NAMES.get(key, key), absent="") for key in said if key not in ABOUT]
    numbers = [Column("accuracy", "accuracy %", Summary), Column("missing", "missing", int)]
    rows = [{**line.keys, "accuracy": line.accuracy, "missing": line.missing} for line in lines]
    notes = sorted({f"Missing: {note}" for line in lines for note in line.notes})
    return Table(name, "Accuracy of networks trained on the sets", (*before, *numbers, *after), rows, notes)
