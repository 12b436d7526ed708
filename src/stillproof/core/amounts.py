"""Times and sizes as people read them."""

from __future__ import annotations


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
