"""How large the squares are while queries go by (arXiv:1912.00049, section 3.2)."""

from __future__ import annotations

import math

ALL = 10_000  # queries that the schedule was made for
HALVED_AFTER = (10, 50, 200, 500, 1000, 2000, 4000, 6000, 8000)  # of those


def share_changed(query: int, queries: int | None, first: float) -> float:
    """Return the share of an image that a proposal changes.

    Args:
        query: Number of the query, from 0.
        queries: All of them, if the schedule is stretched over these; None if it is left as it is.
        first: The share at the beginning.
    """
    at = query if queries is None else int(query / queries * ALL)
    return float(first / 2 ** sum(at > after for after in HALVED_AFTER))


def side_of(share: float, height: int, width: int, least: int = 1) -> int:
    """Return the side, in pixels, of a square that covers a share of an image and fits into it."""
    return min(max(round(math.sqrt(share * height * width)), least), height, width)
