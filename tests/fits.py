"""Whether tables fit terminals of the usual widths, with every number and every word in them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stillproof.report.tables.layout import laid_out, wrapped
from stillproof.report.tables.table import Table
from stillproof.report.tables.text import shown

WIDTHS = (60, 80, 120)
WORD = re.compile(r"[^\W_]{1,16}")  # longer ones may be broken


def assert_fit(tables: Iterable[Table]) -> None:
    """Assert that tables and their notes fit, and that nothing of them is cut off."""
    for table in tables:
        text = shown(table)
        for width in WIDTHS:
            laid = laid_out(text.header, text.rows, text.numbers, width)
            assert max(map(len, laid.splitlines())) <= width, f"{table.name} at {width}:\n{laid}"
            for row in text.rows:
                for cell, is_number in zip(row, text.numbers, strict=True):
                    for part in [cell] if is_number else WORD.findall(cell):
                        assert part in laid, f"{part!r} of {table.name} at {width}:\n{laid}"
            for note in text.notes:
                lines = wrapped(note, width, "  ")
                assert max(map(len, lines.splitlines())) <= width
                assert "".join(lines.split()) == "".join(note.split())
