"""Times and sizes as people read and write them."""

from __future__ import annotations

import re

from stillproof.core.errors import BadInput

UNITS = {"s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
MOST_SECONDS = 1e9


def seconds_in(text: str, option: str) -> float:
    """Return the seconds of a time such as ``90s``, ``45min`` or ``1h30m``, which an option was given."""
    parts = re.findall(r"(\d+(?:\.\d+)?)(s|min|m|h|d)", text)
    if "".join(number + unit for number, unit in parts) != text or not text:
        raise BadInput(f"{option} {text!r} is not a time: write one such as 90s, 45min, 2h or 1h30m.")
    seconds = sum(float(number) * UNITS[unit] for number, unit in parts)
    if not 0 < seconds <= MOST_SECONDS:
        raise BadInput(f"{option} {text!r} must be more than nothing, and at most {duration(MOST_SECONDS)}.")
    return seconds


def duration(seconds: float) -> str:
    """Return a time that people can read."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 2 * 3600:
        return f"{seconds / 60:.0f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.1f} h"
    days = seconds / 86400
    return f"{days:.1f} days" if days < 730 else f"{days / 365.25:.1f} years"


def size(count: float) -> str:
    """Return a number of bytes that people can read."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"
