"""Numbers as people write them: 0.5, 1e-3 or 8/255."""

from __future__ import annotations

import math


def number_of(text: str) -> float | None:
    """Return the finite number that a text means, a fraction too; nothing if it means none."""
    above, slash, below = text.partition("/")
    try:
        value = float(above) / float(below) if slash else float(text)
    except (ValueError, ZeroDivisionError):
        return None
    return value if math.isfinite(value) else None
