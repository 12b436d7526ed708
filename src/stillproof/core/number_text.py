"""Numbers as people write them: 0.5, 1e-3 or 8/255."""

from __future__ import annotations

import math
from collections.abc import Mapping

PARTS = 255  # of a pixel's range


def number_of(text: str) -> float | None:
    """Return the finite number that a text means, a fraction too; nothing if it means none."""
    above, slash, below = text.partition("/")
    try:
        value = float(above) / float(below) if slash else float(text)
    except (ValueError, ZeroDivisionError):
        return None
    return value if math.isfinite(value) else None


def with_fractions(given: Mapping[str, str]) -> dict[str, str | float]:
    """Return the parameters of a reference, fractions among them as numbers and any other text as it is."""
    numbers = {key: number_of(text) if "/" in text else None for key, text in given.items()}
    return {key: text if (number := numbers[key]) is None else number for key, text in given.items()}


def size_text(size: float) -> str:
    """Return the size of a change of pixels as people write it: as a short number, 8/255, or a long number."""
    whole = round(PARTS * size)
    short = float(f"{size:.3g}") == size
    return f"{whole}/{PARTS}" if not short and math.isclose(PARTS * size, whole, rel_tol=1e-9) else f"{size:g}"
