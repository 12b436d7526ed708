"""Curves of accuracy over the steps of a synthesis, one a start."""

from __future__ import annotations

from matplotlib.figure import Figure

from stillproof.report.answers import Answered
from stillproof.report.dc_bench.figure_parts import basis_of, figures_by
from stillproof.report.dc_bench.initialisation import REAL, by_start
from stillproof.report.dc_bench.rows import Rows, grouped, images
from stillproof.report.figures.curve_panel import Curve, CurvePanel, Level, Point
from stillproof.report.figures.curves import Curves, draw_curves


def initialisation_figures(rows: Rows) -> dict[str, Figure]:
    """Return a figure a data set and network, with a panel a method."""
    return figures_by("initialisation", grouped(rows.get("initialisation", []), "dataset", "network"), _draw)


def _draw(rows: list[Answered]) -> Figure:
    panels = [
        _panel(group, f"{method}, {images(ipc)}") for (method, ipc), group in grouped(rows, "method", "ipc").items()
    ]
    return draw_curves(Curves("Where synthesis starts", "step", panels, basis_of(rows, "dataset", "network")))


def _panel(rows: list[Answered], title: str) -> CurvePanel:
    starts = by_start(rows)
    curves = [Curve(init, [Point(row["step"], row.summary()) for row in group]) for init, group in starts.items()]
    final = starts[REAL][-1].summary() if REAL in starts else None
    levels = [Level(REAL, "level: real in the end", final)] if final is not None else []
    return CurvePanel(curves, levels, title)
