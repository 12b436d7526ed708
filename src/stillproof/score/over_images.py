"""Intervals over test images, for the very networks that were tested: of a share, and of a score of several shares."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

Ends: TypeAlias = tuple[float, float]  # of an interval
NORMAL = 1.959963984540054  # the 97.5 % quantile of the standard normal distribution


def wilson(count: float, total: int) -> Ends:
    """Return Wilson's 95 % interval of a share, which stays within 0 and 1.

    Args:
        count: How many images count; of a mean over networks, their mean number.
        total: Of how many images.
    """
    share, room = count / total, NORMAL**2 / total
    middle = (share + room / 2) / (1 + room)
    half = NORMAL / (1 + room) * math.sqrt(max(share * (1 - share), 0.0) / total + room / (4 * total))
    return max(0.0, middle - half), min(1.0, middle + half)


def square_and_add(score: Callable[[Sequence[float]], float], shares: Sequence[float], images: Sequence[int]) -> Ends:
    """Return the 95 % interval of a score that compares shares of images.

    Each share by itself is moved to either end of Wilson's interval. How far the score follows it, down and up, is
    squared and added: Newcombe's rule for a difference, or MOVER.

    Shares are taken as independent. Networks tend to err on the same images, so that shares of the same images rise and
    fall together: a score that compares them, and stays where all of them move alike, varies less, and its interval is
    rather too wide. For a mean of such shares it would be too narrow: that is a share itself, with Wilson's interval.

    Args:
        score: Takes all shares to the score.
        shares: The shares, as fractions.
        images: Of how many images each of them is a share.
    """
    middle = score(shares)
    down = up = 0.0
    for place, (share, total) in enumerate(zip(shares, images, strict=True)):
        moved = [score([*shares[:place], end, *shares[place + 1 :]]) - middle for end in wilson(share * total, total)]
        down += min(0.0, *moved) ** 2
        up += max(0.0, *moved) ** 2
    return middle - math.sqrt(down), middle + math.sqrt(up)
