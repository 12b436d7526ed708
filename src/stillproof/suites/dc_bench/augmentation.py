"""Accuracy under each augmentation, on average over them, and under the one that was chosen as best."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.report.answers import Answered
from stillproof.report.captions import CHOSEN_ON
from stillproof.report.figures.by_group import basis_of, figures_by
from stillproof.report.figures.values import Bar, Bars
from stillproof.report.published import Published
from stillproof.report.rows import Rows, complete, grouped, images, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.beside_published import DISTANCE, PUBLISHED, beside_published, published_notes
from stillproof.report.tables.columns import ACCURACY, BEFORE, MISSING, RULES, RULES_OF_OWN_RECIPES, about
from stillproof.report.tables.table import Column, Table, Value
from stillproof.score.stats import Summary, summarise_accuracies
from stillproof.suites.augmentation_variants import distinct_on
from stillproof.suites.dc_bench.protocol import dc_bench_asks
from stillproof.suites.dc_bench.published import published_average, published_beside
from stillproof.suites.dc_bench.published_values import AUGMENTATIONS, PER_BATCH
from stillproof.suites.fixed_set import fixed_set
from stillproof.suites.requests import Row
from stillproof.suites.row_builder import RowBuilder

if TYPE_CHECKING:
    from stillproof.suites.dc_bench.suite import DCBench

TITLE = "Accuracy under augmentations"
NONE = "none"
OWN_RECIPE = "own recipe"  # in place of an augmentation: how a set's author trains on it
AUGMENTATION = Column("augmentation", "augmentation")
COLUMNS = (*BEFORE, AUGMENTATION, ACCURACY, PUBLISHED, DISTANCE, MISSING, *RULES_OF_OWN_RECIPES)
SCORES = (
    *BEFORE,
    Column("none", "none %", Summary),
    Column("average", "average %", Summary),
    Column("published_average", "published average %", Published, fold="empty"),
    Column("best", "best %", Summary),
    Column("published_best", "published best %", Published, fold="empty"),
    Column("best_augmentation", "best augmentation"),
    Column("chosen_on", "best chosen on", fold="same"),
    *RULES[1:],
)
DEFINITION = (
    "average and best are over all augmentations except none; the average is taken seed by seed, over seeds that have "
    "an answer under every augmentation."
)
FAITHFUL = "Under faithful, the average is over only the four augmentations of the original, if they were asked for."


def augmentation_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per augmentation, and those that choose the best one without the test images, if these do not.

    A set that was there before is also trained on as its author does, if that is known.
    """
    for method, ipc in builder.asked(suite.methods, suite.ipc):
        for name in distinct_on(suite.augmentations, builder.dataset):
            named = suite.asks.augmentation(name)
            recipe = suite.recipe_with(named, builder.dataset)
            yield builder.accuracy("augmentation", method, ipc, recipe, augmentation=named)
            if suite.asks.chooses_heldout and suite.choice_seeds:
                yield _choice(suite, builder, method, ipc, named)
        there = fixed_set(method)
        if there and there.recipe:
            yield builder.accuracy("augmentation", method, ipc, there.recipe, augmentation=OWN_RECIPE)


def _choice(suite: DCBench, builder: RowBuilder, method: str, ipc: int, augmentation: str) -> Row:
    """Return a row of sets that have not seen the held-out images, and of networks that are evaluated on those."""
    recipe = suite.recipe_with(augmentation, builder.dataset)
    requests = [
        builder.trained(builder.distilled(method, ipc, seed, "fit"), builder.home, recipe, seed, "heldout")
        for seed in range(suite.choice_seeds)
    ]
    keys = {"recipe": recipe, "augmentation": augmentation, "selection": "last"}
    return builder.row("augmentation-choice", method, ipc, requests, **keys)


def augmentation_tables(rows: Rows) -> list[Table]:
    """Return the accuracies, and the scores of each method."""
    found = rows["augmentation"]
    lines = [_line(row) for row in found]
    notes = [*published_notes(lines), *missing_notes(found)]
    table = Table("augmentation", TITLE, COLUMNS, lines, notes)
    return [table, _scores_table(found, rows.get("augmentation-choice", []))]


def _line(row: Answered) -> dict[str, Value]:
    augmentation = row["augmentation"]
    return about(row) | {"augmentation": augmentation} | beside_published(row, published_beside(row, augmentation))


@dataclass(frozen=True, slots=True)
class Best:
    """The augmentation that was chosen, or why none was; ``tied`` are others that did as well."""

    name: str | None
    reason: str = ""
    tied: Sequence[str] = ()


def _scores_table(rows: Sequence[Answered], choices: Sequence[Answered]) -> Table:
    """Return the scores; ``choices`` are the trainings that the best augmentation is chosen by."""
    lines: list[dict[str, Value]] = []
    notes = [DEFINITION]
    chosen_by = grouped(choices, "dataset", "network", "method", "ipc")
    for key, group in grouped(rows, "dataset", "network", "method", "ipc").items():
        asks = dc_bench_asks(group[0]["protocol"])
        named = {row["augmentation"]: row for row in group}
        others = {name: row for name, row in named.items() if name not in (NONE, OWN_RECIPE)}
        judged = {row["augmentation"]: row for row in chosen_by.get(key, [])} if asks.chooses_heldout else others
        best = _best(list(others), judged, "heldout_accuracy" if asks.chooses_heldout else "accuracy")
        averaged = [row for name, row in others.items() if _is_published(name) or not asks.averages_published]
        scores = {
            "none": named[NONE].summary() if NONE in named else None,
            "average": _average(averaged),
            "published_average": published_average(averaged),
            "best": others[best.name].summary() if best.name else None,
            "published_best": published_beside(group[0]),
            "best_augmentation": best.name,
            "chosen_on": CHOSEN_ON["heldout" if asks.chooses_heldout else "oracle"],
        }
        lines.append(about(group[0]) | scores)
        notes += _remarks(best, f"{group[0]['method']}, {images(group[0]['ipc'])}")
    if any(dc_bench_asks(row["protocol"]).averages_published for row in rows):
        notes.insert(1, FAITHFUL)
    notes += [*published_notes(lines), *missing_notes([*rows, *choices])]
    return Table("augmentation-scores", "Scores over augmentations", SCORES, lines, notes)


def _is_published(augmentation: str) -> bool:
    return augmentation.removesuffix(PER_BATCH) in AUGMENTATIONS


def _average(rows: Sequence[Answered]) -> Summary | None:
    if not rows:
        return None
    means = [math.fsum(seed) / len(seed) for seed in complete(*(row.values() for row in rows))]
    return summarise_accuracies(means, rows[0].counted()) if means else None


def _best(names: Sequence[str], judged: Mapping[str, Answered], score: str) -> Best:
    """Choose by the mean over those seeds that have a score for every augmentation."""
    if not names:
        return Best(None, "no augmentation was asked for")
    absent = [name for name in names if name not in judged or judged[name].summary(score) is None]
    if absent:
        return Best(None, f"no result to choose by for {', '.join(absent)}")
    seeds = complete(*(judged[name].values(score) for name in names))
    if not seeds:
        return Best(None, "no seed has a result for every augmentation")
    means = [round(math.fsum(column) / len(seeds), 12) for column in zip(*seeds, strict=True)]
    winners = [name for name, mean in zip(names, means, strict=True) if mean == max(means)]
    return Best(winners[0], tied=winners[1:])


def _remarks(best: Best, whose: str) -> list[str]:
    if best.name is None:
        return [f"No best augmentation of {whose}: {best.reason}."]
    return [f"Best of {whose}: {', '.join(best.tied)} as good as {best.name}, which comes first."] if best.tied else []


def augmentation_figures(rows: Rows) -> dict[str, Bars]:
    """Return one figure per data set and network."""
    return figures_by("augmentation", grouped(rows.get("augmentation", []), "dataset", "network"), _figure)


def _figure(rows: list[Answered]) -> Bars:
    """Return one panel per number of images per class."""
    bars = [
        Bar(
            group=row["augmentation"],
            method=row["method"],
            value=row.summary(),
            published=published_beside(row, row["augmentation"]),
            panel=images(row["ipc"]),
        )
        for row in rows
    ]
    return Bars(TITLE, bars, basis_of(rows, "dataset", "network"), group_name="augmentation")


SECTION = Section(
    "augmentation",
    augmentation_rows,
    augmentation_tables,
    augmentation_figures,
    title=TITLE,
    question="How accurate is a network under each augmentation?",
    reading="A good set does well without augmentation and on average over them, not only under the best one.",
)
