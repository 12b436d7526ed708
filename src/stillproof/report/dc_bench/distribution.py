"""How much of the real images the sets cover, beside random images, and the plane on which those of one class lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillproof.core.spec import Json
from stillproof.report.answers import Answered
from stillproof.report.figures.by_group import figure_name
from stillproof.report.figures.embedding import Cloud, Embedding, draw_embedding
from stillproof.report.rows import RANDOM, Rows, grouped, images, missing_notes, paired
from stillproof.report.tables.columns import BEFORE, MISSING, PROTOCOL, RECIPE, SCALE, about
from stillproof.report.tables.table import Column, Difference, Table, Value
from stillproof.score.stats import Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    """Return one line per method and number of images."""
    found = rows["distribution"]
    lines = []
    for group in grouped(found, "dataset", "network", "ipc").values():
        random = next((row for row in group if row["method"] == RANDOM), None)
        lines += [_line(row, random) for row in group]
    neighbours = sorted({int(k) for row in found for k in row.values("k") if k is not None})
    notes = [_covered_sentence(k) for k in neighbours]
    notes.append("Means over classes, in the features of the network trained on the real images by that recipe.")
    missing = missing_notes([*found, *rows.get("map", [])])
    return [Table("distribution", "Real images that are covered", COLUMNS, lines, notes + missing)]


def distribution_figures(rows: Rows) -> dict[str, Figure]:
    """Return one figure per map, which is of one class."""
    found = rows.get("map", [])
    return {
        figure_name("distribution", (row["dataset"], row["label"]) if len(found) > 1 else ()): _draw(row, result)
        for row in found
        for result in row.results
        if result is not None and any(one["points"] for one in result["sets"])
    }


def _covered_sentence(k: int) -> str:
    return f"A real point is covered if a synthetic one is no further from it than its {_th(k)} nearest real neighbour."


def _line(row: Answered, random: Answered | None) -> dict[str, Value]:
    line = about(row) | {"coverage": row.summary("coverage")}
    if random is None or row is random:
        return line
    gain = paired(row.values("coverage"), random.values("coverage"))
    return line | {"random": random.summary("coverage"), "gain": gain}


def _th(number: int) -> str:
    return str(number) + {1: "st", 2: "nd", 3: "rd"}.get(number, "th")


def _draw(row: Answered, result: Json) -> Figure:
    named = zip(row["methods"], result["sets"], strict=True)
    clouds = [Cloud(method, [(x, y) for x, y in one["points"]], one["coverage"]) for method, one in named]
    how = (
        f"{row['dataset']}; features of {row['network']} trained on the real images (recipe {row['recipe']}); t-SNE of "
        f"all points together, perplexity {result['perplexity']:g}; protocol {row['protocol']}; first seed (n = 1)."
    )
    covered = f"{_covered_sentence(result['k'])} Distances are those of the features, not of the plane."
    title = f"Real and synthetic images of class {result['class_name']}, {images(row['ipc'])}"
    return draw_embedding(Embedding(title, [(x, y) for x, y in result["real"]], clouds, how, covered))
