"""K-Center by clusters of embeddings against clusters of pixels."""

from __future__ import annotations

from stillproof.report.answers import Answered
from stillproof.report.dc_bench.columns import BEFORE, RULES, WITH_DSA, published_notes
from stillproof.report.dc_bench.published_beside import published_beside
from stillproof.report.dc_bench.rows import Rows, grouped, missing_notes
from stillproof.report.dc_bench.versus import Versus
from stillproof.report.published import Published
from stillproof.report.table import Column, Table, Value

DATASET, NETWORK, _, IPC = BEFORE
VERSUS = Versus("embeddings", "pixels")
COLUMNS = (
    *(DATASET, NETWORK, IPC),
    *VERSUS.columns(),
    *(Column(f"published_{name}", f"published {name} %", Published, "empty") for name in ("embeddings", "pixels")),
    *RULES,
)


def k_center_tables(rows: Rows) -> list[Table]:
    """Return one line a number of images."""
    found = rows.get("k-center", [])
    if not found:
        return []
    lines = [_line(group) for group in grouped(found, "dataset", "network", "ipc").values()]
    notes = ["embeddings over pixels: seed by seed.", *published_notes(lines, WITH_DSA)]
    return [Table("k-center", "K-Center on embeddings and on pixels", COLUMNS, lines, notes + missing_notes(found))]


def _line(group: list[Answered]) -> dict[str, Value]:
    ways = {"pixels" if "embedding=pixels" in str(row["method"]) else "embeddings": row for row in group}
    line = VERSUS.line(group, ways.get("embeddings"), ways.get("pixels"))
    for name, row in ways.items():
        line[f"published_{name}"] = published_beside(row)
    return line
