"""K-Center by clusters of embeddings against clusters of pixels."""

from __future__ import annotations

from stillproof.report.answers import Answered
from stillproof.report.dc_bench.published import WITH_DSA, published_beside
from stillproof.report.published import Published
from stillproof.report.rows import Rows, grouped, missing_notes
from stillproof.report.tables.beside_published import published_notes
from stillproof.report.tables.columns import DATASET, IPC, NETWORK, RULES
from stillproof.report.tables.table import Column, Table, Value
from stillproof.report.tables.versus import Versus

VERSUS = Versus("embeddings", "pixels")
COLUMNS = (
    *(DATASET, NETWORK, IPC),
    *VERSUS.columns(),
    *(Column(f"published_{name}", f"published {name} %", Published, "empty") for name in ("embeddings", "pixels")),
    *RULES,
)


def k_center_tables(rows: Rows) -> list[Table]:
    """Return one line per number of images."""
    found = rows["k-center"]
    lines = [_line(group) for group in grouped(found, "dataset", "network", "ipc").values()]
    notes = ["embeddings over pixels: seed by seed.", *published_notes(lines, WITH_DSA)]
    return [Table("k-center", "K-Center on embeddings and on pixels", COLUMNS, lines, notes + missing_notes(found))]


def _line(group: list[Answered]) -> dict[str, Value]:
    ways = {"pixels" if "embedding=pixels" in str(row["method"]) else "embeddings": row for row in group}
    line = VERSUS.line(group, ways.get("embeddings"), ways.get("pixels"))
    for name, row in ways.items():
        line[f"published_{name}"] = published_beside(row)
    return line
