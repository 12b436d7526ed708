"""Rank correlations, many at a time: of samples whose points count several times, as in a bootstrap, or not at all.

Both are written with the matrix of signs(x_i - x_j), because a midrank is half the sum of its row, up to a constant.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def signs(values: Floats) -> Floats:
    """Return the signs of all differences, (..., n) -> (..., n, n)."""
    compared: Floats = np.sign(values[..., :, None] - values[..., None, :])
    return compared


def kendall(first: Floats, second: Floats, counts: Floats) -> Floats:
    """Return Kendall's tau-b; NaN where a variable is constant.

    Args:
        first: Signs of one variable, (..., n, n).
        second: Signs of the other.
        counts: How often each point counts, (..., n).
    """
    agreement, spread = _pairs(first * second, counts), _pairs(first**2, counts) * _pairs(second**2, counts)
    return _ratio(agreement, spread)


def spearman(first: Floats, second: Floats, counts: Floats) -> Floats:
    """Return Spearman's rho, the correlation of midranks; NaN where a variable is constant. As ``kendall``."""
    # Twice the midranks, less a constant. Their mean is zero, since every pair enters once with either sign.
    a, b = _rows(first, counts), _rows(second, counts)
    return _ratio((counts * a * b).sum(-1), (counts * a**2).sum(-1) * (counts * b**2).sum(-1))


def _rows(matrix: Floats, counts: Floats) -> Floats:
    if matrix.ndim == 2:  # one product for all samples
        return counts @ matrix.T
    summed: Floats = (matrix @ counts[..., None])[..., 0]
    return summed


def _pairs(matrix: Floats, counts: Floats) -> Floats:
    total: Floats = (_rows(matrix, counts) * counts).sum(-1)
    return total


def _ratio(product: Floats, spread: Floats) -> Floats:
    known = spread > 0
    ratio: Floats = np.where(known, product / np.sqrt(np.where(known, spread, 1)), np.nan)
    return ratio.clip(-1, 1)
