"""K-Center by clusters of embeddings against clusters of pixels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stillproof.report.answers import Answered
from stillproof.report.published import Published
from stillproof.report.rows import Rows, grouped, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.beside_published import published_notes
from stillproof.report.tables.columns import DATASET, IPC, NETWORK, RULES
from stillproof.report.tables.table import Column, Table, Value
from stillproof.report.tables.versus import Versus
from stillproof.suites.dc_bench.published import WITH_DSA, published_beside
from stillproof.suites.requests import Row
from stillproof.suites.row_builder import RowBuilder

if TYPE_CHECKING:
    from stillproof.suites.dc_bench.suite import DCBench

WAYS = ("k-center", "k-center:embedding=pixels")
TITLE = "K-Center on embeddings and on pixels"
VERSUS = Versus("embeddings", "pixels")
COLUMNS = (
    *(DATASET, NETWORK, IPC),
    *VERSUS.columns(),
    *(Column(f"published_{name}", f"published {name} %", Published, "empty") for name in ("embeddings", "pixels")),
    *RULES,
)


def k_center_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per number of images and embedding that K-Center chooses by."""
    for ipc in suite.ipc:
        for method in WAYS:
            yield builder.accuracy("k-center", method, ipc, suite.recipe_with("dsa", builder.dataset))


def k_center_tables(rows: Rows) -> list[Table]:
    """Return one line per number of images."""
    found = rows["k-center"]
    lines = [_line(group) for group in grouped(found, "dataset", "network", "ipc").values()]
    notes = ["embeddings over pixels: seed by seed.", *published_notes(lines, WITH_DSA)]
    return [Table("k-center", TITLE, COLUMNS, lines, notes + missing_notes(found))]


def _line(group: list[Answered]) -> dict[str, Value]:
    ways = {"pixels" if "embedding=pixels" in str(row["method"]) else "embeddings": row for row in group}
    line = VERSUS.line(group, ways.get("embeddings"), ways.get("pixels"))
    for name, row in ways.items():
        line[f"published_{name}"] = published_beside(row)
    return line


SECTION = Section(
    "k-center",
    k_center_rows,
    k_center_tables,
    title=TITLE,
    question="Should K-Center cluster pixels or features?",
    reading="A difference above zero favours features; if its interval contains zero, these seeds cannot tell.",
)
