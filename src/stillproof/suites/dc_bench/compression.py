"""Accuracy over the number of images per class, up to that of all images; also for a large network."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from stillproof.report.answers import Answered
from stillproof.report.figures.by_group import basis_of, figures_by
from stillproof.report.figures.values import Curve, CurvePanel, Curves, Level, Point
from stillproof.report.rows import FULL, RANDOM, Rows, above, grouped, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.beside_published import DISTANCE, PUBLISHED, beside_published, published_notes
from stillproof.report.tables.columns import ACCURACY, BEFORE, MISSING, RULES, about
from stillproof.report.tables.table import Column, Difference, Table, Value
from stillproof.suites.dc_bench.published import WITH_DSA, published_beside
from stillproof.suites.requests import Row
from stillproof.suites.row_builder import RowBuilder

if TYPE_CHECKING:
    from stillproof.suites.dc_bench.suite import DCBench

TITLE = "Accuracy over images per class"
BASELINES = (RANDOM, "k-center")  # what every curve is seen against
GAIN = Column("gain", "over random, points", Difference)
COLUMNS = (*BEFORE, ACCURACY, GAIN, PUBLISHED, DISTANCE, MISSING, *RULES)
GAIN_NOTE = "over random: gain over as many random images with the same network, seed by seed."


def compression_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per network, method and number of images."""
    methods = tuple(dict.fromkeys((*BASELINES, *suite.methods)))
    yield from _curves(suite, builder, methods, suite.compression_ipc, builder.home)
    if suite.large_network:
        yield from _curves(suite, builder, suite.large_methods, suite.large_ipc, suite.large_network)


def _curves(
    suite: DCBench, builder: RowBuilder, methods: Iterable[str], sizes: Iterable[int], network: str
) -> Iterator[Row]:
    if suite.full_recipe:
        yield builder.accuracy("compression", FULL, None, suite.recipe_on_real(builder.dataset), network=network)
    for method, ipc in builder.asked(methods, sizes):
        row = builder.accuracy("compression", method, ipc, suite.recipe_with("dsa", builder.dataset), network=network)
        yield dataclasses.replace(row, may_be_too_large=True)  # there are data sets with smaller classes


def compression_tables(rows: Rows) -> list[Table]:
    """Return one table of all networks."""
    found = rows["compression"]
    baselines = {_place(row): row for row in found if row["method"] == RANDOM}
    lines = [_line(row, baselines.get(_place(row))) for row in found]
    notes = [*([GAIN_NOTE] if baselines else []), *published_notes(lines, WITH_DSA), *missing_notes(found)]
    return [Table("compression", TITLE, COLUMNS, lines, notes)]


def _place(row: Answered) -> tuple[str, str, int | None]:
    return row["dataset"], row["network"], row["ipc"]


def _line(row: Answered, random: Answered | None) -> dict[str, Value]:
    gain = None
    if random is not None and row["method"] not in (RANDOM, FULL):
        gain = above(row, random)
    return about(row) | beside_published(row, published_beside(row)) | {"gain": gain}


def compression_figures(rows: Rows) -> dict[str, Curves]:
    """Return one figure per data set, with one panel per network."""
    found = rows.get("compression", [])
    answered = [row for row in found if row["ipc"] is not None]  # a ceiling alone is no curve
    groups = grouped(answered, "dataset")
    whole = grouped([row for row in found if row["ipc"] is None], "dataset")
    return figures_by("compression", groups, lambda group: _figure(group, whole.get((group[0]["dataset"],), [])))


def _figure(rows: list[Answered], whole: list[Answered]) -> Curves:
    ceilings = {row["network"]: row for row in whole}
    panels = [_panel(group, ceilings.get(network)) for (network,), group in grouped(rows, "network").items()]
    basis = basis_of(rows, "dataset", "network")
    recipes = sorted({str(row["recipe"]) for row in whole})
    about_all = "; ".join([basis.about, *(f"full data: recipe {recipe}" for recipe in recipes)])
    return Curves(TITLE, "images per class", panels, dataclasses.replace(basis, about=about_all))


def _panel(rows: list[Answered], ceiling: Answered | None) -> CurvePanel:
    curves = [
        Curve(str(method), [Point(row["ipc"], row.summary(), published_beside(row)) for row in group])
        for (method,), group in grouped(rows, "method").items()
    ]
    value = ceiling.summary() if ceiling is not None else None
    levels = []
    if ceiling is not None and value is not None:
        levels = [Level(ceiling["method"], "full data", value, published_beside(ceiling))]
    return CurvePanel(curves, levels, title=rows[0]["network"])


SECTION = Section(
    "compression",
    compression_rows,
    compression_tables,
    compression_figures,
    title=TITLE,
    question="How does accuracy grow with the number of images?",
    reading="A method is worth its price where its curve is above that of random images; full data is the ceiling.",
)
