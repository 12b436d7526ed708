"""What makes up an accuracy: random images, then what a method's images, labels and augmentation add in turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stillproof.report.answers import Answered
from stillproof.report.figures.by_group import figures_of
from stillproof.report.figures.values import Stack, StackedBars
from stillproof.report.rows import Rows, above, common_count, complete, grouped, images, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.columns import BEFORE, MISSING, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Column, Difference, Table, Value
from stillproof.score.stats import Summary, summarise, summarise_accuracies
from stillproof.suites.dd_ranking.report_parts import (
    LABEL_KIND,
    RATE,
    about_rows,
    basis_for,
    by_figure,
    chance_of,
    points,
)
from stillproof.suites.dd_ranking.sides import whose
from stillproof.suites.dd_ranking.trials import Images, LabelChoice, Trial, Trials, without_augmentation
from stillproof.suites.requests import Row

STEPS = ("random images, hard labels, no augmentation", "its images", "its labels", "its augmentation")
TITLE = "What makes up an accuracy"
COLUMNS = (
    *BEFORE,
    LABEL_KIND,
    Column("start", "start %", Summary),
    *(points(step, step) for step in STEPS[1:]),
    Column("total", "in all %", Summary),
    *(MISSING, RATE),
    *RULES_OF_OWN_RECIPES,
)
NOTE = (
    f"start: {STEPS[0]}. Then, each on top of those before it, seed by seed: what the method's images add, what its "
    "labels add, and what the augmentation of its recipe adds. What a step adds depends on the order of the steps."
)


def share_rows(trials: Trials) -> Iterator[Row]:
    """Yield the way from random images to the method's whole: its images, its labels, its augmentation in turn."""
    for method, ipc, setting in trials.asked():
        hard, own = without_augmentation(setting.hard_recipe), without_augmentation(setting.recipe)
        chain: tuple[tuple[Images, LabelChoice, str], ...] = (
            ("random", "hard", hard),
            ("set", "hard", hard),
            ("set", "own", own),
            ("set", "own", setting.recipe),
        )
        for step, (side, labels, recipe) in zip(STEPS, chain, strict=True):
            trial = Trial(method, ipc, side, labels, recipe, trials.network_of(setting), setting)
            yield trials.row("shares", trial, step=step)


@dataclass(frozen=True, slots=True)
class Chain:
    """One method with one number of images: the accuracy after each of ``STEPS``."""

    row: Answered
    steps: Sequence[Answered | None]

    def rows(self) -> list[Answered]:
        """Return the steps that were asked for."""
        return [row for row in self.steps if row is not None]

    def added(self) -> dict[str, Difference | None]:
        """Return what each step adds to the one before it, seed by seed."""
        pairs = zip(STEPS[1:], self.steps, self.steps[1:], strict=False)
        return {name: None if row is None or before is None else above(row, before) for name, before, row in pairs}

    def whole(self) -> tuple[list[Summary | None], Summary | None]:
        """Return the start with what each step adds, and the total, over those seeds that have all steps."""
        seeds = self._seeds()
        if not seeds:
            return [None] * len(STEPS), None
        parts = [summarise([seed[0] for seed in seeds])]
        parts += [summarise([seed[step] - seed[step - 1] for seed in seeds]) for step in range(1, len(STEPS))]
        return [*parts], summarise_accuracies([seed[-1] for seed in seeds], common_count(self.rows()))

    def is_uneven(self) -> bool:
        """Say whether some seeds have some of the steps only."""
        return any(len(self._seeds()) != len(row.results) - row.missing for row in self.rows())

    def _seeds(self) -> list[tuple[float, ...]]:
        return complete(*(row.values() if row is not None else [] for row in self.steps))


def chains_of(rows: Sequence[Answered]) -> list[Chain]:
    """Return what the rows ask about, in their order."""
    return [_chain(group) for group in grouped(rows, "dataset", "network", "method", "ipc").values()]


def _chain(group: Sequence[Answered]) -> Chain:
    found = {row["step"]: row for row in group}
    last = next((found[step] for step in reversed(STEPS) if step in found), group[0])
    return Chain(last, [found.get(step) for step in STEPS])


def shares_tables(rows: Rows) -> list[Table]:
    """Return one line per method and number of images."""
    found = chains_of(rows["shares"])
    lines = [_line(chain) for chain in found]
    apart = [whose(chain.row) for chain in found if chain.is_uneven()]
    uneven = [f"Not all seeds have all steps, so the parts need not add up: {'; '.join(apart)}."] if apart else []
    return [Table("shares", TITLE, COLUMNS, lines, [NOTE, *uneven, *missing_notes(rows["shares"])])]


def _line(chain: Chain) -> dict[str, Value]:
    line = about_rows(chain.row, dict(zip(STEPS, chain.steps, strict=True)))
    return line | {"start": _accuracy(chain.steps[0]), **chain.added(), "total": _accuracy(chain.steps[-1])}


def _accuracy(row: Answered | None) -> Summary | None:
    return None if row is None else row.summary()


def shares_figures(rows: Rows) -> dict[str, StackedBars]:
    """Return one figure per data set, of seeds that have all steps."""
    groups = by_figure(chains_of(rows.get("shares", [])))
    return figures_of("shares", groups, lambda found: any(chain.whole()[1] for chain in found), _figure)


def _figure(found: list[Chain]) -> StackedBars:
    """Return one panel per number of images per class."""
    stacks = [Stack(str(chain.row["method"]), *chain.whole(), images(chain.row["ipc"])) for chain in found]
    rows = [row for chain in found for row in chain.rows()]
    chance = chance_of(str(rows[0]["dataset"]))
    return StackedBars(TITLE, STEPS, stacks, basis_for(rows), "method", chance)


SECTION = Section(
    "shares",
    share_rows,
    shares_tables,
    shares_figures,
    title=TITLE,
    question="What makes up an accuracy?",
    reading="Start with random images and hard labels, then add the method's images, labels and augmentation in turn.",
)
