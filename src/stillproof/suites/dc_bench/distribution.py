"""How much of the real images the sets cover, beside random images, and the plane on which those of one class lie."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stillproof.core.spec import Json
from stillproof.report.answers import Answered
from stillproof.report.figures.by_group import figure_name
from stillproof.report.figures.values import Cloud, Embedding
from stillproof.report.rows import RANDOM, Rows, above, grouped, images, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.columns import BEFORE, MISSING, PROTOCOL, RECIPE, SCALE, about
from stillproof.report.tables.table import Column, Difference, Table, Value
from stillproof.score.stats import Summary
from stillproof.suites.fixed_set import fixed_set
from stillproof.suites.requests import Request, Row, real_images, trained
from stillproof.suites.row_builder import RowBuilder

if TYPE_CHECKING:
    from stillproof.suites.dc_bench.suite import DCBench

TITLE = "Coverage of the real images"
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


def distribution_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per method, by the features of a network trained on real images, and the map of one class."""
    recipe, most = suite.recipe_on_real(builder.dataset) or suite.recipe, max(suite.ipc)
    model = trained(real_images(builder.dataset), builder.home, recipe, 0)
    asked = list(builder.asked(suite.methods, [most]))
    for method, ipc in asked:
        seeds = 1 if fixed_set(method) else builder.seeds  # of one set and one network there is one coverage
        requests = [Request("coverage", of=builder.distilled(method, ipc, seed), model=model) for seed in range(seeds)]
        yield builder.row("distribution", method, ipc, requests, recipe=recipe)
    sets = tuple(builder.distilled(method, ipc, 0) for method, ipc in asked)
    keys = {"recipe": recipe, "label": suite.mapped_class, "methods": [_mapped(*one, most) for one in asked]}
    yield builder.row("map", "all", most, [Request("map", sets=sets, model=model, label=suite.mapped_class)], **keys)


def _mapped(method: str, ipc: int, most: int) -> str:
    """Return what a set is called on the map, whose title tells how many images the others have."""
    there = fixed_set(method)
    if there is None:
        return method
    return there.name if ipc == most else f"{there.name} ({ipc} per class)"


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
    return [Table("distribution", TITLE, COLUMNS, lines, notes + missing)]


def distribution_figures(rows: Rows) -> dict[str, Embedding]:
    """Return one figure per map, which is of one class."""
    found = rows.get("map", [])
    return {
        figure_name("distribution", (row["dataset"], row["label"]) if len(found) > 1 else ()): _figure(row, result)
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
    gain = above(row, random, "coverage", "real")
    return line | {"random": random.summary("coverage"), "gain": gain}


def _th(number: int) -> str:
    return str(number) + {1: "st", 2: "nd", 3: "rd"}.get(number, "th")


def _figure(row: Answered, result: Json) -> Embedding:
    named = zip(row["methods"], result["sets"], strict=True)
    clouds = [Cloud(method, [(x, y) for x, y in one["points"]], one["coverage"]) for method, one in named]
    how = (
        f"{row['dataset']}; features of {row['network']} trained on the real images (recipe {row['recipe']}); t-SNE of "
        f"all points together, perplexity {result['perplexity']:g}; protocol {row['protocol']}; first seed (n = 1)."
    )
    covered = f"{_covered_sentence(result['k'])} Distances are those of the features, not of the plane."
    title = f"Real and synthetic images of class {result['class_name']}, {images(row['ipc'])}"
    return Embedding(title, [(x, y) for x, y in result["real"]], clouds, how, covered)


SECTION = Section(
    "distribution",
    distribution_rows,
    distribution_tables,
    distribution_figures,
    title=TITLE,
    question="How well does a set cover the real images?",
    reading="Few images cannot cover much, so compare a set with as many random images, as the gain does.",
)
