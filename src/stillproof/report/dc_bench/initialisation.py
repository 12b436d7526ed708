"""Where synthesis starts: final accuracy, and the steps to the level that real images reach in the end, with curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from stillproof.report.answers import Answered
from stillproof.report.figures.by_group import basis_of, figures_by
from stillproof.report.figures.curve_panel import Curve, CurvePanel, Level, Point
from stillproof.report.figures.curves import Curves, draw_curves
from stillproof.report.rows import Rows, grouped, images, missing_notes, paired
from stillproof.report.tables.columns import BEFORE, RULES, about
from stillproof.report.tables.table import Column, Difference, Percent, Table, Value
from stillproof.score.stats import Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REAL = "real"
TITLE = "Where synthesis starts"
COLUMNS = (
    *BEFORE,
    Column("init", "start"),
    Column("accuracy", "final %", Summary),
    Column("gain", "over real, points", Difference),
    Column("steps", "steps", int),
    Column("level", "level %", Percent),
    Column("steps_to_level", "steps to level", int),
    Column("share", "share of real's steps %", Percent),
    *RULES,
)
NOTES = (
    "level: the final mean accuracy that starting from random real images reaches; steps to level: the first measured "
    "step whose mean reaches it.",
)


def initialisation_tables(rows: Rows) -> list[Table]:
    """Return one line per method and start."""
    found = rows["initialisation"]
    lines = []
    for group in grouped(found, "dataset", "network", "method", "ipc").values():
        starts = _by_start(group)
        lines += [_line(block, starts) for block in starts.values()]
    return [Table("initialisation", TITLE, COLUMNS, lines, [*NOTES, *missing_notes(found)])]


def initialisation_figures(rows: Rows) -> dict[str, Figure]:
    """Return one figure per data set and network, with one panel per method."""
    return figures_by("initialisation", grouped(rows.get("initialisation", []), "dataset", "network"), _draw)


def _by_start(rows: Sequence[Answered]) -> dict[str, list[Answered]]:
    """Return the rows of each start by their steps."""
    groups = grouped(rows, "init").items()
    return {str(init): sorted(group, key=lambda row: int(row["step"])) for (init,), group in groups}


def _line(block: Sequence[Answered], starts: Mapping[str, Sequence[Answered]]) -> dict[str, Value]:
    last = block[-1]
    line = about(last) | {"init": last["init"], "accuracy": last.summary(), "steps": last["step"]}
    real = starts.get(REAL)
    final = real[-1].summary() if real else None
    if real is None or final is None:
        return line
    own, others = _first_step(block, final.mean), _first_step(real, final.mean)
    gain = None if block is real else paired(last.values(), real[-1].values())
    share = Percent(own / others) if own is not None and others else None
    return line | {"level": Percent(final.mean), "steps_to_level": own, "share": share, "gain": gain}


def _first_step(block: Sequence[Answered], level: float) -> int | None:
    means = ((int(row["step"]), row.summary()) for row in block)
    return next((step for step, summary in means if summary is not None and summary.mean >= level), None)


def _draw(rows: list[Answered]) -> Figure:
    panels = [
        _panel(group, f"{method}, {images(ipc)}") for (method, ipc), group in grouped(rows, "method", "ipc").items()
    ]
    return draw_curves(Curves(TITLE, "step", panels, basis_of(rows, "dataset", "network")))


def _panel(rows: list[Answered], title: str) -> CurvePanel:
    starts = _by_start(rows)
    curves = [Curve(init, [Point(row["step"], row.summary()) for row in group]) for init, group in starts.items()]
    final = starts[REAL][-1].summary() if REAL in starts else None
    levels = [Level(REAL, "level: real in the end", final)] if final is not None else []
    return CurvePanel(curves, levels, title)
