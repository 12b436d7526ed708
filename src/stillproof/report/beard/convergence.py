"""Do attacks converge? Accuracy over the number of PGD's steps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from stillproof.report.answers import Answered
from stillproof.report.beard.alarms import ALARMS, NOTE, alarms_on
from stillproof.report.beard.columns import BEFORE, IMAGES, MODE, about
from stillproof.report.beard.drawing import UNDER_ATTACK, attacked_basis
from stillproof.report.figures.by_group import figures_of
from stillproof.report.figures.curve_panel import Curve, CurvePanel, Point
from stillproof.report.figures.curves import Curves, draw_curves
from stillproof.report.rows import Rows, grouped, missing_notes
from stillproof.report.tables.columns import MISSING, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Column, Table, Value
from stillproof.score.stats import Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Accuracy over the steps of PGD"


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
    notes = ["Where more steps take away no more, the attack has converged.", NOTE, *missing_notes(found)]
    return [Table("convergence", TITLE, columns, lines, notes)]


def convergence_figures(rows: Rows) -> dict[str, Figure]:
    """Return one figure per data set and network, with one panel per mode."""
    groups = grouped(rows["convergence"], "dataset", "network")
    return figures_of("convergence", groups, _has_answer, partial(_draw, rows))


def _has_answer(rows: Sequence[Answered]) -> bool:
    return any(row.summary("robust_accuracy") for row in rows)


def _draw(every: Rows, rows: Sequence[Answered]) -> Figure:
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
    return draw_curves(Curves(TITLE, "steps", panels, attacked_basis(rows, every), measure=UNDER_ATTACK))
