"""Do soft labels help any images? Noise, random and disturbed images, with soft and with hard labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from stillproof.core.reference import changed_reference
from stillproof.report.answers import Answered
from stillproof.report.figures.by_group import figures_of
from stillproof.report.figures.looks import Line
from stillproof.report.figures.values import Curve, CurvePanel, Curves, FigureData, Level, Point
from stillproof.report.measure import difference
from stillproof.report.rows import Rows, above, grouped, images, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.columns import BEFORE, MISSING, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Column, Difference, Table, Value
from stillproof.report.tables.text import text_of
from stillproof.report.tables.versus import Versus
from stillproof.score.stats import Summary
from stillproof.suites.dd_ranking.report_parts import RATE, about_rows, basis_for, by_figure, chance_of, mean_of
from stillproof.suites.dd_ranking.settings import Setting
from stillproof.suites.dd_ranking.sides import whose
from stillproof.suites.dd_ranking.trials import RANDOM, LabelChoice, Trial, Trials
from stillproof.suites.requests import Row

TITLE = "Do soft labels help any images?"
NOISE = "noise"  # the method whose images are noise and nothing else
SOFT, HARD = "soft", "hard"
VERSUS = Versus("soft", "hard")
COLUMNS = (
    *BEFORE,
    Column("disturbance", "noise added", fold="same"),
    *VERSUS.columns(),
    Column("lifted", "helped by soft labels"),
    *(MISSING, RATE),
    *RULES_OF_OWN_RECIPES,
)
NOTES = (
    "noise added: standard deviation of Gaussian noise on the normalised images; soft: labels that a teacher gives, "
    "whatever labels the method has itself; soft over hard: seed by seed.",
    "helped by soft labels: yes or no if the interval of that difference lies above or below zero, else unclear.",
)
X_NAME = "standard deviation of the added noise"
STYLES: dict[str, Line] = {SOFT: "solid", HARD: "dashed"}


def control_rows(trials: Trials) -> Iterator[Row]:
    """Yield pure noise, and random images under growing noise, each with hard labels and with those of a teacher."""
    suite, network = trials.suite, trials.builder.home
    hard = suite.recipe_on(trials.builder.dataset)
    setting, ipc = Setting(hard, hard, "hard"), max(suite.ipc)
    soft = changed_reference(hard, objective=suite.soft_objective)
    recipes: tuple[tuple[LabelChoice, str], ...] = (("hard", hard), ("soft", soft))
    for method, disturbance in ((NOISE, 0.0), *((RANDOM, std) for std in (0.0, *suite.noise))):
        for labels, recipe in recipes:
            trial = Trial(method, ipc, "set", labels, recipe, network, setting, disturbance, suite.teachers[0])
            yield trials.row("controls", trial, disturbance=disturbance, teacher=suite.teachers[0])


@dataclass(frozen=True, slots=True)
class Controlled:
    """One method with one number of images and one strength of the noise."""

    strength: float
    soft: Answered | None
    hard: Answered | None

    @property
    def row(self) -> Answered:
        """Return a row that says what this is about."""
        return self.rows()[0]

    def rows(self) -> list[Answered]:
        """Return those of both that were asked for."""
        return [row for row in (self.soft, self.hard) if row is not None]

    def accuracy(self, labels: str) -> Summary | None:
        """Return the accuracy with soft or with hard labels."""
        row = self.soft if labels == SOFT else self.hard
        return None if row is None else row.summary()

    def is_answered(self) -> bool:
        """Say whether at least one of both is known."""
        return any(row.summary() is not None for row in self.rows())

    def gain(self) -> Difference | None:
        """Return what soft labels add, seed by seed."""
        return None if self.soft is None or self.hard is None else above(self.soft, self.hard)


def controlled_of(rows: Sequence[Answered]) -> list[Controlled]:
    """Return what the rows ask about, in their order."""
    groups = grouped(rows, "dataset", "network", "method", "ipc", "disturbance")
    return [_controlled(float(key[-1] or 0), group) for key, group in groups.items()]


def _controlled(strength: float, group: Sequence[Answered]) -> Controlled:
    found = {row["labels"]: row for row in group}
    return Controlled(strength, found.get(SOFT), found.get(HARD))


Of = Callable[[Controlled], Summary | None]  # what a curve shows of it


def controls_tables(rows: Rows) -> list[Table]:
    """Return one line per method, number of images and strength of the noise."""
    found = controlled_of(rows["controls"])
    lines = [_line(one) for one in found]
    guessing = {name: chance_of(name) for name in dict.fromkeys(str(one.row["dataset"]) for one in found)}
    chances = [f"Chance: guessing gets {100 * share:g} % on {name}." for name, share in guessing.items() if share]
    notes = [*_answers(found), *NOTES, *chances, *missing_notes(rows["controls"])]
    return [Table("controls", TITLE, COLUMNS, lines, notes)]


def _line(one: Controlled) -> dict[str, Value]:
    line = VERSUS.line(one.rows(), one.soft, one.hard) | about_rows(one.row, {"soft": one.soft, "hard": one.hard})
    return line | {"disturbance": f"{one.strength:g}", "lifted": _lifted(one.gain())}


def _lifted(gain: Difference | None) -> str | None:
    if gain is None:
        return None
    low, high = gain.summary.ci95 or (0.0, 0.0)
    return "yes" if low > 0 else "no" if high < 0 else "unclear"


def _answers(found: Sequence[Controlled]) -> list[str]:
    """Say at once what the section is about: what soft labels do for images that nobody has distilled."""
    undisturbed = [one for one in found if one.row["method"] in (RANDOM, NOISE) and one.strength == 0]
    told = [
        f"{whose(one.row)}: {_lifted(gain)}, {text_of(gain)} points"
        for one in undisturbed
        if (gain := one.gain()) is not None
    ]
    return [f"Do soft labels help random data, too? {'; '.join(told)}."] if told else []


def controls_figures(rows: Rows) -> dict[str, FigureData]:
    """Return, for each data set, accuracies over the strength of the noise, and what soft labels add."""
    groups = by_figure(controlled_of(rows.get("controls", [])))
    return {
        **figures_of("controls", groups, lambda found: any(one.is_answered() for one in found), _accuracy_curves),
        **figures_of("controls-gain", groups, lambda found: any(one.gain() for one in found), _gain_curves),
    }


def _accuracy_curves(found: Sequence[Controlled]) -> Curves:
    """Return two lines per method: solid with soft labels, dashed with hard ones."""
    panels = [
        CurvePanel(
            [curve for labels in STYLES for curve in _curves(group, _accuracy(labels), dashed=labels == HARD)],
            [level for labels in STYLES for level in _levels(group, _accuracy(labels), f", {labels}", STYLES[labels])],
            images(ipc),
        )
        for ipc, group in _by_size(found).items()
    ]
    rows = [row for one in found for row in one.rows()]
    chance, lines = chance_of(str(rows[0]["dataset"])), ("soft labels", "hard labels")
    return Curves(TITLE, X_NAME, panels, basis_for(rows), chance, linear=True, lines=lines)


def _gain_curves(found: Sequence[Controlled]) -> Curves:
    """Return what soft labels add to each method."""
    panels = [
        CurvePanel(list(_curves(group, _gain, dashed=False)), list(_levels(group, _gain, "", "solid")), images(ipc))
        for ipc, group in _by_size(found).items()
    ]
    basis = basis_for([row for one in found for row in one.rows()])
    measure = difference("accuracy with soft labels over hard ones")
    return Curves("What soft labels add", X_NAME, panels, basis, measure=measure, linear=True)


def _curves(found: Sequence[Controlled], of: Of, *, dashed: bool) -> Iterator[Curve]:
    for method in dict.fromkeys(str(one.row["method"]) for one in found):
        if not _is_level(method, found):
            points = [Point(one.strength, of(one)) for one in found if one.row["method"] == method]
            yield Curve(method, points, dashed)


def _levels(found: Sequence[Controlled], of: Of, labels: str, style: Line) -> Iterator[Level]:
    for one in found:
        value = of(one)
        if value is not None and _is_level(str(one.row["method"]), found):
            yield Level(NOISE, f"pure noise{labels}", value, style=style)


def _is_level(method: str, found: Sequence[Controlled]) -> bool:
    """Say whether a method is a line across: pure noise is not changed by more of it."""
    asked = {str(one.row["method"]): one.strength for one in found}
    return method == NOISE and len(asked) > 1


def _by_size(found: Sequence[Controlled]) -> dict[int | None, list[Controlled]]:
    return {
        ipc: [one for one in found if one.row["ipc"] == ipc] for ipc in dict.fromkeys(one.row["ipc"] for one in found)
    }


def _accuracy(labels: str) -> Of:
    return lambda one: one.accuracy(labels)


def _gain(one: Controlled) -> Summary | None:
    return mean_of(one.gain())


SECTION = Section(
    "controls",
    control_rows,
    controls_tables,
    controls_figures,
    title="Soft labels on any images",
    question="Do soft labels help any images?",
    reading="Where soft labels help noise and random images, too, a high accuracy says little about the images.",
)
