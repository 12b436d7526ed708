"""Robust accuracy over the size of the change, and the area below: what leads, since nothing survives a large one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from stillproof.core.number_text import size_text
from stillproof.core.spec import Json
from stillproof.report.answers import Answered
from stillproof.report.beard.alarms import ALARMS, NOTE, alarms_on
from stillproof.report.beard.columns import BEFORE, CLEAN, DEFENCE, IMAGES, about
from stillproof.report.beard.drawing import attacked_basis
from stillproof.report.figures.by_group import figures_of
from stillproof.report.figures.curve_panel import Curve, CurvePanel, Point
from stillproof.report.figures.curves import Curves, draw_curves
from stillproof.report.measure import Measure
from stillproof.report.rows import Rows, grouped, images, missing_notes
from stillproof.report.tables.columns import MISSING, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Column, Table, Value
from stillproof.score.stats import Summary, summarise_accuracies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Robust accuracy over the size of the change"
ROBUST = Measure("robust accuracy", "%", 0.0, 1.0)
EVERY = 4  # so many points of a curve make one mark, or their whiskers would hide each other
NORM = Column("norm", "norm", fold="same")
NOTES = (
    "Mean over eps: the area below the curve of robust accuracy from 0 to the largest eps, divided by that eps; it is "
    "what is left on average over all sizes of changes. The curve is that of FMN, which looks for the smallest change "
    "of each image that fools the model, in pixels of [0, 1]. At three eps it is checked by APGD: what that fools "
    "besides is taken off the curve, too, and the largest gap is the most that came of it, in points. Pixels are "
    "attacked under either protocol: under faithful, sets and trainings alone are the original's.",
    "Intervals are over seeds, on the same test images: where all seeds agree, as at 0 %, they have no width.",
)


def curve_tables(rows: Rows) -> list[Table]:
    """Return one table per norm, with one line per model."""
    return [_table(str(norm), found, rows) for (norm,), found in grouped(rows["curves"], "norm").items()]


def _table(norm: str, found: Sequence[Answered], rows: Rows) -> Table:
    lines = [_line(row) | {"alarms": alarms_on(rows, [row])} for row in found]
    places = dict.fromkeys(key for line in lines for key in line if key.startswith("at_"))
    columns = (
        *(*BEFORE, DEFENCE, NORM, CLEAN, Column("area", "mean over eps %", Summary)),
        *(Column(key, f"at {key.removeprefix('at_')} %", Summary) for key in places),
        *(Column("gap", "largest gap"), ALARMS, IMAGES, MISSING),
        *RULES_OF_OWN_RECIPES,
    )
    name = "curves" if norm == "Linf" else f"curves-{norm.lower()}"
    return Table(name, f"{TITLE} in {norm}", columns, lines, [*NOTES, NOTE, *missing_notes(found)])


def curve_figures(rows: Rows) -> dict[str, Figure]:
    """Return one figure per data set, network and norm, with one panel per size of sets."""
    plain = [row for row in rows["curves"] if not row["defence"]]
    groups = grouped(plain, "dataset", "network", "norm")
    return figures_of("curves", groups, lambda found: any(row.summary("area") for row in found), partial(_draw, rows))


def _line(row: Answered) -> dict[str, Value]:
    known = [answer for answer in row.results if answer is not None]
    line = about(row) | {"norm": row["norm"], "clean": _share(known, "clean_accuracy"), "area": _share(known, "area")}
    if not known:
        return line
    for number, check in enumerate(known[0]["checks"]):
        values = [answer["checks"][number]["robust_accuracy"] for answer in known]
        line[f"at_{size_text(check['eps'])}"] = summarise_accuracies(values, known[0]["n"])
    gap = max(answer["gap"] for answer in known)
    return line | {"gap": f"{100 * gap:.1f}"}


def _share(known: Sequence[Json], name: str) -> Summary | None:
    return summarise_accuracies([answer[name] for answer in known], known[0]["n"]) if known else None


def _draw(every: Rows, rows: Sequence[Answered]) -> Figure:
    sizes = [ipc for ipc in dict.fromkeys(row["ipc"] for row in rows) if ipc is not None]
    panels = [
        CurvePanel([curve_of(row, str(row["method"])) for row in rows if row["ipc"] in (None, ipc)], title=images(ipc))
        for ipc in sizes
    ]
    x_name = f"eps in {rows[0]['norm']}, pixels of [0, 1]"
    return draw_curves(Curves(TITLE, x_name, panels, attacked_basis(rows, every), measure=ROBUST, linear=True))


def curve_of(row: Answered, name: str) -> Curve:
    """Return the curve of a row, over those seeds that have one."""
    known = [answer for answer in row.results if answer is not None]
    if not known:
        return Curve(name, [])
    n = known[0]["n"]
    return Curve(
        name,
        [
            Point(eps, summarise_accuracies([answer["accuracies"][place] for answer in known], n))
            for place, eps in list(enumerate(known[0]["eps"]))[::EVERY]
        ],
    )
