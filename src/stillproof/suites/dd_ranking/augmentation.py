"""How much of an accuracy is the augmentation's merit: IOR with and without it, and ARS."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stillproof.core.components import metrics
from stillproof.report.answers import Answered
from stillproof.report.figures.by_group import figures_of
from stillproof.report.figures.score_grid import score_grid
from stillproof.report.figures.values import Plane, Spot
from stillproof.report.measure import difference
from stillproof.report.rows import Rows, grouped, images, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.beside_published import published_notes
from stillproof.report.tables.columns import BEFORE, MISSING, RULES_OF_OWN_RECIPES
from stillproof.report.tables.metric_columns import added_metrics, metric_columns, metric_values
from stillproof.report.tables.table import Column, Difference, Mean, Table, Value
from stillproof.score.dd_ranking import augmentation_robust_score
from stillproof.score.metric import AugmentationSides, Metric
from stillproof.score.stats import Summary
from stillproof.suites.dd_ranking.published import published_augmentation
from stillproof.suites.dd_ranking.report_parts import (
    LABEL_KIND,
    RATE,
    about_rows,
    basis_for,
    by_figure,
    mean_of,
    points,
    published_column,
    without_interval,
)
from stillproof.suites.dd_ranking.sides import by_seed, gain_over_random, whose
from stillproof.suites.dd_ranking.trials import RANDOM, SET, SIDES, Trial, Trials, without_augmentation
from stillproof.suites.requests import Row

TITLE = "Is it the images, or the augmentation?"
COLUMNS = (
    *BEFORE,
    LABEL_KIND,
    *(Column("own_with", "with %", Mean), Column("random_with", "random with %", Mean)),
    *(Column("own_without", "without %", Mean), Column("random_without", "random without %", Mean)),
    *(points("ior_with", "IOR with"), points("ior_without", "IOR without"), Column("ars", "ARS", Summary)),
    *(published_column("with", "IOR with"), published_column("without", "IOR without"), published_column("ars", "ARS")),
    *(MISSING, RATE),
    *RULES_OF_OWN_RECIPES,
)
NOTES = (
    "with and without: the method's images with labels of its own kind, trained on with the augmentation of its recipe "
    "and without any; random: as many random real images, trained on in the same two ways.",
    "IOR = images - random, seed by seed. ARS: IOR with and without augmentation in one, with weight 0.5, from 0 to "
    "100; 26.9 if images are no better than random ones.",
)


def augmentation_rows(trials: Trials) -> Iterator[Row]:
    """Yield what ARS is made of."""
    for method, ipc, setting in trials.asked():
        for recipe in (setting.recipe, without_augmentation(setting.recipe)):
            for side in SIDES:
                trial = Trial(method, ipc, side, "own", recipe, trials.network_of(setting), setting)
                yield trials.row("augmentation", trial)


@dataclass(frozen=True, slots=True)
class Augmented:
    """One method with one number of images under one network.

    Args:
        row: A row that says what they are about.
        own_with: The method's images with augmentation.
        random_with: As many random real images with it.
        own_without: The method's images without any.
        random_without: The random ones without any.
    """

    row: Answered
    own_with: Answered | None
    random_with: Answered | None
    own_without: Answered | None
    random_without: Answered | None

    def named(self) -> dict[str, Answered | None]:
        """Return the four by name."""
        return {
            "own_with": self.own_with,
            "random_with": self.random_with,
            "own_without": self.own_without,
            "random_without": self.random_without,
        }

    def rows(self) -> list[Answered]:
        """Return those of the four that were asked for."""
        return [row for row in self.named().values() if row is not None]

    def ior(self, *, augmented: bool) -> Difference | None:
        """Return what images gain over random ones, both with augmentation or both without."""
        pair = (self.own_with, self.random_with) if augmented else (self.own_without, self.random_without)
        return gain_over_random(*pair)

    def evidence(self) -> list[AugmentationSides]:
        """Return the four accuracies of each seed."""
        return [AugmentationSides(**seed) for seed in by_seed(self.named())]

    def ars(self) -> Summary | None:
        """Return the score over those seeds that have all four accuracies."""
        found: Metric[AugmentationSides] = metrics.build("ars")
        return found.over_seeds(self.evidence())

    def is_placed(self) -> bool:
        """Say whether both differences are known."""
        return self.ior(augmented=True) is not None and self.ior(augmented=False) is not None

    def why_not(self) -> str:
        """Say what the score lacks."""
        absent = [name.replace("_", " ") for name, row in self.named().items() if row is None or row.summary() is None]
        return f"no accuracy of {' and '.join(absent)}" if absent else "no seed has all four accuracies"


def augmented_of(rows: Sequence[Answered]) -> list[Augmented]:
    """Return what the rows ask about, in their order."""
    return [_augmented(group) for group in grouped(rows, "dataset", "network", "method", "ipc").values()]


def _augmented(group: Sequence[Answered]) -> Augmented:
    found = {(row["images"], bool(row["augmented"])): row for row in group}
    ways = ((SET, True), (RANDOM, True), (SET, False), (RANDOM, False))
    return Augmented(group[0], *(found.get(way) for way in ways))


def augmentation_tables(rows: Rows) -> list[Table]:
    """Return one line per method and number of images."""
    found = augmented_of(rows["augmentation"])
    added = added_metrics(AugmentationSides)
    lines = [_line(one) | metric_values(added, one.evidence()) for one in found]
    dashes = [f"No ARS of {whose(one.row)}: {one.why_not()}." for one in found if one.ars() is None]
    notes = [*NOTES, *published_notes(lines), *dashes, *missing_notes(rows["augmentation"])]
    return [Table("augmentation", TITLE, (*COLUMNS, *metric_columns(added)), lines, notes)]


def _line(one: Augmented) -> dict[str, Value]:
    accuracies = {name: without_interval(row) for name, row in one.named().items()}
    scores = {"ior_with": one.ior(augmented=True), "ior_without": one.ior(augmented=False), "ars": one.ars()}
    published = {f"published_{name}": value for name, value in published_augmentation(one.row, one.random_with).items()}
    return about_rows(one.row, one.named()) | accuracies | scores | published


def augmentation_figures(rows: Rows) -> dict[str, Plane]:
    """Return the plane of IOR without and with augmentation for each data set."""
    groups = by_figure(augmented_of(rows.get("augmentation", [])))
    return figures_of("augmentation", groups, lambda found: any(one.is_placed() for one in found), _figure)


def _figure(found: list[Augmented]) -> Plane:
    """Return one panel per number of images per class."""
    spots = [_spot(one) for one in found]
    x, y = difference("IOR without augmentation"), difference("IOR with augmentation")
    ars = score_grid(spots, x, y, lambda without, augmented: augmentation_robust_score(augmented, without))
    basis = basis_for([row for one in found for row in one.rows()])
    return Plane(TITLE, spots, basis, x, y, score_name="ARS", score=ars, better="upper right")


def _spot(one: Augmented) -> Spot:
    there = published_augmentation(one.row, one.random_with)
    return Spot(
        method=str(one.row["method"]),
        x=mean_of(one.ior(augmented=False)),
        y=mean_of(one.ior(augmented=True)),
        published=(there["without"], there["with"]) if "with" in there else None,
        panel=images(one.row["ipc"]),
    )


SECTION = Section(
    "augmentation",
    augmentation_rows,
    augmentation_tables,
    augmentation_figures,
    title="Contribution of the augmentation",
    question="How much of an accuracy is due to augmentation?",
    reading="Where IOR is above zero only with augmentation, images need its help to beat random ones.",
)
