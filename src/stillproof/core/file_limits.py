"""How much memory and time reading a file of somebody else's may take: more for a larger file, but never any amount."""

from __future__ import annotations

import math
import os

from stillproof.core.errors import BadInput

VARIABLE = "STILLPROOF_FILE_LIMITS"
LEAST_BYTES, TIMES_SIZE = 2 * 10**9, 10  # of resident memory: this much, or so many times the file's size
LEAST_SECONDS, BYTES_PER_SECOND = 30.0, 10**6  # of a processor, however busy the machine is


def memory_limit(size: int) -> int:
    """Return the bytes of memory that reading a file of ``size`` bytes may take."""
    return int(_factor() * max(LEAST_BYTES, TIMES_SIZE * size))


def time_limit(size: int) -> float:
    """Return the seconds that a processor may take to read a file of ``size`` bytes."""
    return _factor() * max(LEAST_SECONDS, size / BYTES_PER_SECOND)


def too_much(size: int) -> str:
    """Say that reading a file takes more than it may, and how to allow more; the end of a sentence about it."""
    memory, seconds = memory_limit(size) / 10**9, time_limit(size)
    return (
        f"is refused: reading its {size} bytes takes more than {memory:.3g} GB of memory or {seconds:.3g} seconds of "
        f"computing ({VARIABLE}={2 * _factor():g} allows twice as much)."
    )


def _factor() -> float:
    text = os.environ.get(VARIABLE, "1")
    try:
        factor = float(text)
    except ValueError:
        factor = math.nan
    if not 0 < factor < math.inf:
        raise BadInput(f"{VARIABLE} is {text[:40]!r}, where a number above 0 is needed: 2 doubles the limits.")
    return factor
