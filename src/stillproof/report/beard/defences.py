"""Models with and without each defence: their scores, and their curves of robust accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from stillproof.report.answers import Answered
from stillproof.report.beard.assessed import assessed
from stillproof.report.beard.columns import model_of
from stillproof.report.beard.curves import ROBUST, curve_of
from stillproof.report.beard.drawing import attacked_basis
from stillproof.report.beard.scores import scores_table
from stillproof.report.figures.by_group import figures_of
from stillproof.report.figures.curve_panel import CurvePanel
from stillproof.report.figures.curves import Curves, draw_curves
from stillproof.report.rows import Rows, grouped
from stillproof.report.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "With and without a defence"
NO_DEFENCE = "no defence"


def defence_tables(rows: Rows) -> list[Table]:
    """Return one line per model, defence and mode."""
    return [scores_table("defences", TITLE, assessed(rows["defences"]), rows)]


def defence_figures(rows: Rows) -> dict[str, Figure]:
    """Return one figure per data set, network and norm: the curves of models with each defence, if they were asked."""
    models = {model_of(row) for row in rows["defences"]}
    asked = [row for row in rows.get("curves", ()) if model_of(row) in models]
    groups = grouped(asked, "dataset", "network", "norm")
    return figures_of("defences", groups, lambda found: any(row.summary("area") for row in found), partial(_draw, rows))


def _draw(every: Rows, rows: Sequence[Answered]) -> Figure:
    """Draw one panel per method."""
    panels = [
        CurvePanel([curve_of(row, str(row["defence"] or NO_DEFENCE)) for row in group], title=str(method))
        for (method,), group in grouped(rows, "method").items()
    ]
    x_name = f"eps in {rows[0]['norm']}, pixels of [0, 1]"
    return draw_curves(Curves(TITLE, x_name, panels, attacked_basis(rows, every), measure=ROBUST, linear=True))
