"""A number that falls along a cosine."""

from __future__ import annotations

import math


def falling(first: float, last: float, step: int, steps: int) -> float:
    """Return the value at a step, from the first at step 0 towards the last, which would be that of step ``steps``."""
    return last + (first - last) * (1 + math.cos(math.pi * step / steps)) / 2
