"""Does adversarial training help? The scores and curves of models with and without each defence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from stillproof.report.answers import Answered
from stillproof.report.figures.by_group import figures_of
from stillproof.report.figures.values import ROBUST, CurvePanel, Curves
from stillproof.report.rows import Rows, grouped
from stillproof.report.section import Section
from stillproof.report.tables.table import Table
from stillproof.suites.beard.curves import curve_of, eps_name, has_curve
from stillproof.suites.beard.method_scores import assessed
from stillproof.suites.beard.robust_numbers import attacked_basis, model_of
from stillproof.suites.beard.scores import attacked_rows, scores_table
from stillproof.suites.beard.victims import Victims
from stillproof.suites.requests import Row

TITLE = "With and without a defence"
NO_DEFENCE = "no defence"


def defence_rows(victims: Victims) -> Iterator[Row]:
    """Yield the rows of the largest sets, without a defence and with each."""
    return attacked_rows("defences", victims, [*victims.largest(), *victims.defended()])


def defence_tables(rows: Rows) -> list[Table]:
    """Return one line per model, defence and mode."""
    return [scores_table("defences", TITLE, assessed(rows["defences"]), rows)]


def defence_figures(rows: Rows) -> dict[str, Curves]:
    """Return one figure per data set, network and norm: the curves of models with each defence, if they were asked."""
    models = {model_of(row) for row in rows["defences"]}
    asked = [row for row in rows.get("curves", ()) if model_of(row) in models]
    groups = grouped(asked, "dataset", "network", "norm")
    return figures_of("defences", groups, has_curve, partial(_figure, rows))


def _figure(every: Rows, rows: Sequence[Answered]) -> Curves:
    """Return one panel per method."""
    panels = [
        CurvePanel([curve_of(row, str(row["defence"] or NO_DEFENCE)) for row in group], title=str(method))
        for (method,), group in grouped(rows, "method").items()
    ]
    return Curves(TITLE, eps_name(rows), panels, attacked_basis(rows, every), measure=ROBUST, linear=True)


SECTION = Section(
    "defences",
    defence_rows,
    defence_tables,
    defence_figures,
    title=TITLE,
    question="Does adversarial training help?",
    reading="A defence that helps leaves more in the worst case, and lifts the curve, at the cost in clean accuracy "
    "that stands beside it.",
)
