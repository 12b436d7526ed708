"""Do soft labels lift any images? Noise, random and disturbed images with soft and with hard labels: the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stillproof.report.chance import chance_of
from stillproof.report.dd_ranking.columns import RATE, about_rows
from stillproof.report.dd_ranking.control_curves import draw_accuracies, draw_gains
from stillproof.report.dd_ranking.controlled import NOISE, Controlled, controlled_of
from stillproof.report.dd_ranking.drawing import by_figure
from stillproof.report.dd_ranking.sides import RANDOM, whose
from stillproof.report.figures.by_group import figures_of
from stillproof.report.rows import Rows, missing_notes
from stillproof.report.tables.columns import BEFORE, MISSING, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Column, Difference, Table, Value
from stillproof.report.tables.text import text_of
from stillproof.report.tables.versus import Versus

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VERSUS = Versus("soft", "hard")
COLUMNS = (
    *BEFORE,
    Column("disturbance", "noise added", fold="same"),
    *VERSUS.columns(),
    Column("lifted", "lifted by soft labels"),
    *(MISSING, RATE),
    *RULES_OF_OWN_RECIPES,
)
NOTES = (
    "noise added: standard deviation of Gaussian noise on the normalised images; soft: labels that a teacher gives, "
    "whatever labels the method has itself; soft over hard: seed by seed.",
    "lifted by soft labels: yes or no if the interval of that difference lies above or below zero, else unclear.",
)


def controls_tables(rows: Rows) -> list[Table]:
    """Return one line per method, number of images and strength of the noise."""
    found = controlled_of(rows["controls"])
    lines = [_line(one) for one in found]
    guessing = {name: chance_of(name) for name in dict.fromkeys(str(one.row["dataset"]) for one in found)}
    chances = [f"Chance: guessing gets {100 * share:g} % on {name}." for name, share in guessing.items() if share]
    notes = [*_answers(found), *NOTES, *chances, *missing_notes(rows["controls"])]
    return [Table("controls", "Do soft labels lift any images?", COLUMNS, lines, notes)]


def controls_figures(rows: Rows) -> dict[str, Figure]:
    """Return, for each data set, accuracies over the strength of the noise, and what soft labels add."""
    groups = by_figure(controlled_of(rows.get("controls", [])))
    return {
        **figures_of("controls", groups, lambda found: any(one.is_answered() for one in found), draw_accuracies),
        **figures_of("controls-gain", groups, lambda found: any(one.gain() for one in found), draw_gains),
    }


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
    return [f"Do soft labels lift random data, too? {'; '.join(told)}."] if told else []
