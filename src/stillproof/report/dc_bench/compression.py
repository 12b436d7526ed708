"""Accuracy over the number of images per class, the gain over random images, and the ceiling of full data."""

from __future__ import annotations

from stillproof.report.answers import Answered
from stillproof.report.dc_bench.columns import (
    ACCURACY,
    BEFORE,
    DISTANCE,
    MISSING,
    PUBLISHED,
    RULES,
    WITH_DSA,
    about,
    beside,
    published_notes,
)
from stillproof.report.dc_bench.rows import FULL, RANDOM, Rows, missing_notes, paired
from stillproof.report.table import Column, Difference, Table, Value

GAIN = Column("gain", "over random, points", Difference)
COLUMNS = (*BEFORE, ACCURACY, GAIN, PUBLISHED, DISTANCE, MISSING, *RULES)
GAIN_NOTE = "over random: more than random images of the same number, network and seed, seed by seed."


def compression_tables(rows: Rows) -> list[Table]:
    """Return one table of all networks."""
    found = rows.get("compression", [])
    if not found:
        return []
    baselines = {_place(row): row for row in found if row["method"] == RANDOM}
    lines = [_line(row, baselines.get(_place(row))) for row in found]
    notes = [*([GAIN_NOTE] if baselines else []), *published_notes(lines, WITH_DSA), *missing_notes(found)]
    return [Table("compression", "Accuracy over images per class", COLUMNS, lines, notes)]


def _place(row: Answered) -> tuple[str, str, int | None]:
    return row["dataset"], row["network"], row["ipc"]


def _line(row: Answered, random: Answered | None) -> dict[str, Value]:
    gain = None
    if random is not None and row["method"] not in (RANDOM, FULL):
        gain = paired(row.values(), random.values())
    return about(row) | beside(row) | {"gain": gain}
