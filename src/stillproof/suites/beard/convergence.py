"""Have the attacks converged? Accuracy over the steps of PGD."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from stillproof.core.reference import changed_reference
from stillproof.report.answers import Answered
from stillproof.report.figures.by_group import figures_of
from stillproof.report.figures.values import Curve, CurvePanel, Curves, Point
from stillproof.report.rows import Rows, grouped, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.columns import BEFORE, MISSING, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Column, Table, Value
from stillproof.score.stats import Summary
from stillproof.suites.beard.robust_numbers import (
    ALARM_NOTE,
    ALARMS,
    IMAGES,
    MODE,
    UNDER_ATTACK,
    about,
    alarms_on,
    attacked_basis,
)
from stillproof.suites.beard.victims import MODES, Victims
from stillproof.suites.requests import Row

TITLE = "Accuracy over the steps of PGD"
READING = "Where more steps make no difference, the attack has converged."


def step_rows(victims: Victims) -> Iterator[Row]:
    """Yield, for the models of the largest sets, one row per mode and number of steps."""
    for victim in victims.largest():
        for mode in MODES:
            for steps in victims.suite.steps:
                attack = changed_reference("pgd", steps=steps)
                ask = partial(victims.attack, victim, attack, mode)
                yield victims.row("convergence", victim, ask, mode=mode, steps=steps)


def convergence_tables(rows: Rows) -> list[Table]:
    """Return one line per model and mode, with the accuracy after each number of steps."""
    found = rows["convergence"]
    counts = sorted({row["steps"] for row in found})
    accuracies = [Column(f"steps_{count}", f"{count} step{'s' * (count > 1)} %", Summary) for count in counts]
    lines: list[dict[str, Value]] = []
    for group in grouped(found, "dataset", "network", "method", "ipc", "mode").values():
        numbers: dict[str, Value] = {f"steps_{row['steps']}": row.summary("robust_accuracy") for row in group}
        missing = sum(row.missing for row in group)
        lines.append(about(group[0]) | numbers | {"missing": missing, "alarms": alarms_on(rows, group)})
    columns = (*BEFORE, MODE, *accuracies, ALARMS, IMAGES, MISSING, *RULES_OF_OWN_RECIPES)
    return [Table("convergence", TITLE, columns, lines, [READING, ALARM_NOTE, *missing_notes(found)])]


def convergence_figures(rows: Rows) -> dict[str, Curves]:
    """Return one figure per data set and network, with one panel per mode."""
    groups = grouped(rows["convergence"], "dataset", "network")
    return figures_of("convergence", groups, _has_answer, partial(_figure, rows))


def _has_answer(rows: Sequence[Answered]) -> bool:
    return any(row.summary("robust_accuracy") for row in rows)


def _figure(every: Rows, rows: Sequence[Answered]) -> Curves:
    panels = [
        CurvePanel(
            [
                Curve(str(method), [Point(row["steps"], row.summary("robust_accuracy")) for row in same])
                for (method,), same in grouped(group, "method").items()
            ],
            title=str(mode),
        )
        for (mode,), group in grouped(rows, "mode").items()
    ]
    return Curves(TITLE, "steps", panels, attacked_basis(rows, every), measure=UNDER_ATTACK)


SECTION = Section(
    "convergence",
    step_rows,
    convergence_tables,
    convergence_figures,
    title=TITLE,
    question="Have the attacks converged?",
    reading=READING,
)
