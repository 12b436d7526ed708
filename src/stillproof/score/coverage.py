"""Coverage: the share of real points that have a synthetic one near them, as near as their own neighbours are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

ENTRIES = 4_000_000  # distances held at once, 32 MB
EDGE = 1e-6  # by how much of its radius, and of its point's length, a ball is larger


def coverage(real: ArrayLike, synthetic: ArrayLike, k: int = 5) -> float:
    """Return the share of real points in whose ball a synthetic point lies (Naeem et al. 2020, arXiv:2002.09797).

    The ball of a real point reaches to its k-th nearest other real point. It is closed, where the authors' code has
    an open one, and larger by a hair: a set of real images holds such neighbours, whose features, as float32, differ
    in their last bits from those of the same images in another batch.

    Args:
        real: Points (N, D).
        synthetic: Points (M, D).
        k: Which neighbour sets the radius.

    Raises:
        ValueError: There are at most ``k`` real points or no synthetic ones, or they are not points of one space.
    """
    points, others = _points(real, "real"), _points(synthetic, "synthetic")
    if k < 1 or len(points) <= k:
        raise ValueError(f"coverage with k = {k} needs k to be at least 1 and more than k real points: {len(points)}")
    if not len(others):
        raise ValueError("coverage needs at least one synthetic point")
    if points.shape[1] != others.shape[1]:
        raise ValueError(f"real points have {points.shape[1]} dimensions, synthetic ones {others.shape[1]}")
    centre = np.median(points, axis=0)  # distances stay as they are, but short vectors leave less to rounding
    points, others = points - centre, others - centre
    radii = _radii(points, k)
    reach = radii + EDGE * (radii + np.linalg.norm(points, axis=1))
    return float((_nearest(points, others) <= reach).mean())


def _points(values: ArrayLike, what: str) -> Floats:
    points = np.asarray(values, np.float64)
    if points.ndim != 2:
        raise ValueError(f"{what} points must be an array (points, dimensions), not one of shape {points.shape}")
    if not np.isfinite(points).all():
        raise ValueError(f"a coordinate of the {what} points is not a finite number")
    return points


def _radii(points: Floats, k: int) -> Floats:
    """Return the distance of each point to its k-th nearest other point."""
    found = []
    for part in _chunks(len(points), len(points)):
        squared = _squared(points[part], points)
        squared[np.arange(len(squared)), np.arange(len(points))[part]] = np.inf
        squared.partition(k - 1, axis=1)
        found.append(squared[:, k - 1].copy())  # a view would keep the whole chunk
    return np.sqrt(np.concatenate(found))


def _nearest(points: Floats, others: Floats) -> Floats:
    """Return the distance of each point to the nearest of the others."""
    parts = _chunks(len(points), len(others))
    nearest: Floats = np.sqrt(np.concatenate([_squared(points[part], others).min(1) for part in parts]))
    return nearest


def _squared(rows: Floats, columns: Floats) -> Floats:
    """Return squared distances (rows, columns)."""
    squared: Floats = rows @ columns.T
    squared *= -2
    squared += np.einsum("nd,nd->n", rows, rows)[:, None]
    squared += np.einsum("nd,nd->n", columns, columns)
    return np.maximum(squared, 0, out=squared)  # rounding may leave less


def _chunks(rows: int, columns: int) -> Iterator[slice]:
    step = max(1, ENTRIES // columns)
    return (slice(start, start + step) for start in range(0, rows, step))
