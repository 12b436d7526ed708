"""The plane of real and synthetic features of one class."""

from __future__ import annotations

from matplotlib.figure import Figure

from stillproof.core.spec import Json
from stillproof.report.answers import Answered
from stillproof.report.dc_bench.distribution import covered_sentence
from stillproof.report.dc_bench.figure_parts import figure_name
from stillproof.report.dc_bench.rows import Rows, images
from stillproof.report.figures.embedding import Cloud, Embedding, draw_embedding


def distribution_figures(rows: Rows) -> dict[str, Figure]:
    """Return a figure a map, which is of one class."""
    found = rows.get("map", [])
    return {
        figure_name("distribution", (row["dataset"], row["label"]) if len(found) > 1 else ()): _draw(row, result)
        for row in found
        for result in row.results
        if result is not None and any(one["points"] for one in result["sets"])
    }


def _draw(row: Answered, result: Json) -> Figure:
    clouds = [Cloud(one["method"], [(x, y) for x, y in one["points"]], one["coverage"]) for one in result["sets"]]
    how = (
        f"{row['dataset']}; features of {row['network']} trained on the real images (recipe {row['recipe']}); t-SNE of "
        f"all points together, perplexity {result['perplexity']:g}; protocol {row['protocol']}; first seed (n = 1)."
    )
    covered = f"{covered_sentence(result['k'])} Distances are those of the features, not of the plane."
    title = f"Real and synthetic images of class {result['class_name']}, {images(row['ipc'])}"
    return draw_embedding(Embedding(title, [(x, y) for x, y in result["real"]], clouds, how, covered))
