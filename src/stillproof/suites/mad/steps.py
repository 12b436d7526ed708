"""Accuracy under unknown attacks over the steps of adaptation, as a figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stillproof.report.answers import Answered
from stillproof.report.figures.by_group import figures_of
from stillproof.report.figures.values import Curve, CurvePanel, Curves, Point
from stillproof.report.rows import grouped
from stillproof.suites.mad.defence_scores import Scored, scored
from stillproof.suites.mad.protocol import mad_asks
from stillproof.suites.mad.report_parts import ROBUST, mad_basis


def steps_figures(
    name: str, title: str, rows: Sequence[Answered], shown: Callable[[Scored], bool], called: Callable[[Scored], str]
) -> dict[str, Curves]:
    """Return one figure per data set, with a line for each network that is ``shown``; those without steps have none."""

    def curves(found: Sequence[Answered]) -> list[Curve]:
        lines = ((called(one), one.curve(one.attacks("unknown"))) for one in scored(found) if shown(one))
        return [Curve(who, [Point(*point) for point in enumerate(line)]) for who, line in lines if len(line) > 1]

    def figure(found: Sequence[Answered]) -> Curves:
        axis = "episodes" if mad_asks(str(found[0]["protocol"])).is_oracle else "steps on the shots"
        return Curves(title, axis, [CurvePanel(curves(found))], mad_basis(found), measure=ROBUST, linear=True)

    adapting = grouped((row for row in rows if row["measure"] == "adapt"), "dataset")
    return figures_of(name, adapting, lambda found: any(curves(found)), figure)
