"""The robustness ratio over the size of sets, beside that of all sizes pooled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stillproof.report.beard.assessed import Assessed
from stillproof.report.beard.drawing import basis_for
from stillproof.report.figures.curve_panel import Curve, CurvePanel, Level, Point
from stillproof.report.figures.curves import Curves, draw_curves
from stillproof.report.measure import score
from stillproof.report.rows import Rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Robustness ratio over images per class"


def of_one_size(found: Sequence[Assessed]) -> list[Assessed]:
    """Return the models of sets of one size, which curves are made of."""
    return [one for one in found if one.row["ipc"] is not None and len(one.parts) == 1]


def draw_sizes(rows: Rows, found: Sequence[Assessed]) -> Figure:
    """Draw one panel per mode: a curve per method, and a line across for its sizes pooled, or for all real images."""
    panels = []
    for mode in dict.fromkeys(one.row["mode"] for one in found):
        here = [one for one in found if one.row["mode"] == mode]
        methods: dict[str, list[Assessed]] = {}
        for one in of_one_size(here):
            methods.setdefault(str(one.row["method"]), []).append(one)
        curves = [
            Curve(method, [Point(one.row["ipc"], one.ratio()) for one in sizes]) for method, sizes in methods.items()
        ]
        panels.append(CurvePanel(curves, [level for one in here if (level := _level(one))], str(mode)))
    return draw_curves(Curves(TITLE, "images per class", panels, basis_for(found, rows), measure=score("RR")))


def _level(one: Assessed) -> Level | None:
    value, method = one.ratio(), str(one.row["method"])
    if value is None or (len(one.parts) == 1 and one.row["ipc"] is not None):
        return None
    label = f"{method}, {one.sizes}" if len(one.parts) > 1 else f"{method}, all images"
    return Level(method, label, value)
