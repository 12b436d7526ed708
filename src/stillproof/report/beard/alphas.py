"""CREI over its weight: does the order of methods depend on how much robustness counts against the cost of attacks?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stillproof.report.beard.alarms import ALARMS, alarms_on
from stillproof.report.beard.assessed import Assessed
from stillproof.report.beard.columns import IMAGES, MODE, SIZES, about, bare
from stillproof.report.beard.drawing import basis_for, panels_of
from stillproof.report.beard.time_notes import time_notes
from stillproof.report.figures.curve_panel import Curve, CurvePanel, Point
from stillproof.report.figures.curves import Curves, draw_curves
from stillproof.report.measure import score
from stillproof.report.rows import Rows
from stillproof.report.tables.columns import DATASET, METHOD, NETWORK, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Column, Mean, Table, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "CREI over its weight"
ALPHAS = tuple(tenths / 10 for tenths in range(0, 11, 2))
COLUMNS = (
    *(DATASET, NETWORK, METHOD, SIZES, MODE),
    *(Column(f"crei_{alpha}", f"{alpha:g}", Mean) for alpha in ALPHAS),
    *(ALARMS, IMAGES),
    *RULES_OF_OWN_RECIPES,
)
NOTE = "One column per weight of RR: at weight 1 CREI is RR, at weight 0 it is AE. Intervals are in the figure."


def alpha_table(found: Sequence[Assessed], rows: Rows) -> Table:
    """Return one line per method, size and mode."""
    lines: list[dict[str, Value]] = []
    for one in found:
        means: dict[str, Value] = {f"crei_{alpha}": bare(one.crei(alpha)) for alpha in ALPHAS}
        lines.append(about(one.row) | means | {"sizes": one.sizes, "alarms": alarms_on(rows, one.rows())})
    return Table("alpha", TITLE, COLUMNS, lines, [NOTE, *time_notes(found)])


def draw_alphas(rows: Rows, found: Sequence[Assessed]) -> Figure:
    """Draw one panel per mode, of all sizes pooled; one per size, too, where there is nothing to pool."""
    if any(len(one.parts) > 1 for one in found):
        found = [one for one in found if len(one.parts) > 1 or one.row["ipc"] is None]
    panels = [CurvePanel([_curve(one) for one in group], title=title) for title, group in panels_of(found).items()]
    basis = basis_for(found, rows)
    return draw_curves(Curves(TITLE, "weight of RR", panels, basis, measure=score("CREI"), linear=True))


def _curve(one: Assessed) -> Curve:
    return Curve(str(one.row["method"]), [Point(alpha, one.crei(alpha)) for alpha in ALPHAS])
