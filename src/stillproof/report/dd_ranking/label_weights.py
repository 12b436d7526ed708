"""LRS over the weight of its two parts: whose order depends on how much labels may help; table and curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stillproof.report.dd_ranking.columns import LABEL_KIND, RATE, about_rows
from stillproof.report.dd_ranking.drawing import basis_for
from stillproof.report.dd_ranking.sides import Sides, rows_behind
from stillproof.report.figures.curve_panel import Curve, CurvePanel, Point
from stillproof.report.figures.curves import Curves, draw_curves
from stillproof.report.measure import score
from stillproof.report.rows import images
from stillproof.report.tables.columns import BEFORE, MISSING, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Column, Mean, Table, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WEIGHTS = tuple(tenths / 10 for tenths in range(1, 10))
TITLE = "LRS over its weight"
COLUMNS = (
    *BEFORE,
    LABEL_KIND,
    *(Column(f"lrs_{weight}", f"{weight}", Mean) for weight in WEIGHTS),
    *(MISSING, RATE),
    *RULES_OF_OWN_RECIPES,
)
NOTE = (
    "LRS (0 to 100) by the weight of IOR, the rest being that of HLR: to the left, what is lost with hard labels "
    "counts more, to the right, what is gained over random images. Intervals are in the figure, and in --format csv."
)


def weights_table(found: Sequence[Sides], missing: Sequence[str]) -> Table:
    """Return one line per method and number of images; ``missing`` says why there are dashes."""
    return Table("labels-weights", TITLE, COLUMNS, [_line(sides) for sides in found], [NOTE, *missing])


def draw_weights(found: Sequence[Sides]) -> Figure:
    """Draw one panel per number of images per class."""
    sizes = dict.fromkeys(sides.row["ipc"] for sides in found)
    panels = [
        CurvePanel([_curve(sides) for sides in found if sides.row["ipc"] == ipc], title=images(ipc)) for ipc in sizes
    ]
    x_name = "weight of IOR (the rest is that of HLR)"
    basis = basis_for(rows_behind(found))
    return draw_curves(Curves(TITLE, x_name, panels, basis, measure=score("LRS"), linear=True))


def _line(sides: Sides) -> dict[str, Value]:
    scores = {weight: sides.lrs(weight) for weight in WEIGHTS}
    means = {f"lrs_{weight}": None if score is None else Mean(score) for weight, score in scores.items()}
    return about_rows(sides.row, sides.asked()) | means


def _curve(sides: Sides) -> Curve:
    return Curve(str(sides.row["method"]), [Point(weight, sides.lrs(weight)) for weight in WEIGHTS])
