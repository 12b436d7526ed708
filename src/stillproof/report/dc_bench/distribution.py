"""How much of the real images the sets cover, beside random images."""

from __future__ import annotations

from stillproof.report.answers import Answered
from stillproof.report.dc_bench.columns import BEFORE, MISSING, PROTOCOL, RECIPE, SCALE, about
from stillproof.report.dc_bench.rows import RANDOM, Rows, grouped, missing_notes, paired
from stillproof.report.table import Column, Difference, Table, Value
from stillproof.score.stats import Summary

COLUMNS = (
    *BEFORE,
    Column("coverage", "coverage %", Summary),
    Column("random", "random's %", Summary),
    Column("gain", "over random, points", Difference),
    MISSING,
    RECIPE,
    PROTOCOL,
    SCALE,
)


def distribution_tables(rows: Rows) -> list[Table]:
    """Return one line a method and number of images."""
    found = rows.get("distribution", [])
    if not found:
        return []
    lines = []
    for group in grouped(found, "dataset", "network", "ipc").values():
        random = next((row for row in group if row["method"] == RANDOM), None)
        lines += [_line(row, random) for row in group]
    neighbours = sorted({int(k) for row in found for k in row.values("k") if k is not None})
    notes = [covered_sentence(k) for k in neighbours]
    notes.append("Means over classes, in the features of the network trained on the real images by that recipe.")
    missing = missing_notes([*found, *rows.get("map", [])])
    return [Table("distribution", "Real images that are covered", COLUMNS, lines, notes + missing)]


def covered_sentence(k: int) -> str:
    """Say when a real image counts as covered."""
    return f"A real point is covered if a synthetic one is no further from it than its {_th(k)} nearest real neighbour."


def _line(row: Answered, random: Answered | None) -> dict[str, Value]:
    line = about(row) | {"coverage": row.summary("coverage")}
    if random is None or row is random:
        return line
    gain = paired(row.values("coverage"), random.values("coverage"))
    return line | {"random": random.summary("coverage"), "gain": gain}


def _th(number: int) -> str:
    return str(number) + {1: "st", 2: "nd", 3: "rd"}.get(number, "th")
