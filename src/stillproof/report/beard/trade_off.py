"""Accuracy against robustness: does the more accurate model withstand more, too?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from stillproof.report.beard.assessed import Assessed
from stillproof.report.beard.drawing import basis_for, panels_of
from stillproof.report.figures.plane import Plane, Spot, draw_plane
from stillproof.report.figures.score_lines import Floats
from stillproof.report.measure import Measure
from stillproof.report.rows import Rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Accuracy against robustness"
CLEAN = Measure("clean accuracy", "%", 0.0, 1.0)
WORST = Measure("accuracy in the worst case of all attacks", "%", 0.0, 1.0)


def draw_trade_off(rows: Rows, found: Sequence[Assessed]) -> Figure:
    """Draw one panel per size and mode, with lines of the same share of right images that stay right."""
    single = [one for one in found if len(one.parts) == 1]
    spots = [
        Spot(str(one.row["method"]), one.clean(), one.worst(), panel=title)
        for title, group in panels_of(single).items()
        for one in group
    ]
    return draw_plane(Plane(TITLE, spots, basis_for(single, rows), CLEAN, WORST, "share kept", _kept, "upper right"))


def _kept(clean: Floats, robust: Floats) -> Floats:
    """Return the share of right images that stay right; more than all of them cannot."""
    kept: Floats = np.minimum(np.divide(robust, clean, out=np.ones_like(robust), where=clean > 0), 1.0)
    return kept
