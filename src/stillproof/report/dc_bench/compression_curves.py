"""Curves of accuracy over images per class, a panel a network, with the ceiling of full data."""

from __future__ import annotations

import dataclasses

from matplotlib.figure import Figure

from stillproof.report.answers import Answered
from stillproof.report.dc_bench.figure_parts import basis_of, figures_by
from stillproof.report.dc_bench.published_beside import published_beside
from stillproof.report.dc_bench.rows import Rows, grouped
from stillproof.report.figures.curve_panel import Curve, CurvePanel, Level, Point
from stillproof.report.figures.curves import Curves, draw_curves


def compression_figures(rows: Rows) -> dict[str, Figure]:
    """Return a figure a data set."""
    found = rows.get("compression", [])
    answered = [row for row in found if row["ipc"] is not None]  # a ceiling alone is no curve
    groups = grouped(answered, "dataset")
    whole = grouped([row for row in found if row["ipc"] is None], "dataset")
    return figures_by("compression", groups, lambda group: _draw(group, whole.get((group[0]["dataset"],), [])))


def _draw(rows: list[Answered], whole: list[Answered]) -> Figure:
    ceilings = {row["network"]: row for row in whole}
    panels = [_panel(group, ceilings.get(network)) for (network,), group in grouped(rows, "network").items()]
    basis = basis_of(rows, "dataset", "network")
    recipes = sorted({str(row["recipe"]) for row in whole})
    about = "; ".join([basis.about, *(f"full data: recipe {recipe}" for recipe in recipes)])
    basis = dataclasses.replace(basis, about=about)
    return draw_curves(Curves("Accuracy over images per class", "images per class", panels, basis))


def _panel(rows: list[Answered], ceiling: Answered | None) -> CurvePanel:
    curves = [
        Curve(str(method), [Point(row["ipc"], row.summary(), published_beside(row)) for row in group])
        for (method,), group in grouped(rows, "method").items()
    ]
    value = ceiling.summary() if ceiling is not None else None
    levels = []
    if ceiling is not None and value is not None:
        levels = [Level(ceiling["method"], "full data", value, published_beside(ceiling))]
    return CurvePanel(curves, levels, title=rows[0]["network"])
