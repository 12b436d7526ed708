"""How many panels stand in a line."""

from __future__ import annotations

import math

WIDEST = 3


def grid_size(panels: int) -> tuple[int, int]:
    """Return rows and columns for a number of panels, with as few left empty as possible."""
    rows = math.ceil(panels / WIDEST)
    return rows, math.ceil(panels / rows)
