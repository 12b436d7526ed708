"""The difference of two means over seeds: paired where both have the same seeds, else of two samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import stdtr, stdtrit

from stillproof.score.over_images import square_and_add
from stillproof.score.stats import Summary, summarise, wider_of

DIGITS = 12  # differences that are equal but for rounding are equal


@dataclass(frozen=True, slots=True)
class DifferenceOverSeeds:
    """By how much the first is above the second, and how likely that is by chance.

    The chance is unknown where n = 1, and where the seeds do not differ at all, though they are few: accuracies are
    counts of images, so that such a spread is no measure of anything. ``error`` is the standard error of the mean, and
    ``freedom`` are its degrees of freedom; both are unknown where n = 1.
    """

    summary: Summary
    p: float | None
    error: float | None = None
    freedom: float | None = None


def paired_difference(first: Sequence[float], second: Sequence[float]) -> DifferenceOverSeeds:
    """Return the mean of the differences seed by seed, with Student's interval and the paired t-test."""
    found = summarise([round(one - other, DIGITS) for one, other in zip(first, second, strict=True)])
    if found.std is None:
        return DifferenceOverSeeds(found, None)
    error, freedom = found.std / math.sqrt(found.n), found.n - 1
    return DifferenceOverSeeds(found, _chance(found.mean, error, freedom), error, freedom)


def unpaired_difference(first: Sequence[float], second: Sequence[float]) -> DifferenceOverSeeds:
    """Return the difference of the means of as many seeds on either side, with Welch's interval and t-test."""
    one, other = summarise(first), summarise(second)
    mean = one.mean - other.mean
    if one.std is None or other.std is None:
        return DifferenceOverSeeds(Summary(mean, None, min(one.n, other.n), None), None)
    parts = [side.std**2 / side.n for side in (one, other) if side.std is not None]
    error = math.sqrt(math.fsum(parts))
    weights = math.fsum(part**2 / (side.n - 1) for part, side in zip(parts, (one, other), strict=True))
    freedom = error**4 / weights if weights else one.n + other.n - 2
    half = float(stdtrit(freedom, 0.975)) * error
    summary = Summary(mean, None, min(one.n, other.n), (mean - half, mean + half))
    return DifferenceOverSeeds(summary, _chance(mean, error, freedom), error, freedom)


def difference_of_shares(first: Sequence[float], second: Sequence[float], images: int | None) -> Summary:
    """Summarise by how much accuracies, or other shares of as many images, are above others, seed by seed.

    The interval is Student's over seeds, or Newcombe's over the images where that is the wider.

    Args:
        first: One share per seed.
        second: The same of what is subtracted.
        images: How many images each is a share of; if that is not known, the interval is Student's.
    """
    seeds = list(zip(first, second, strict=True))
    found = summarise([one - other for one, other in seeds])
    if images is None:
        return found
    return wider_of(found, (square_and_add(_minus, seed, (images, images)) for seed in seeds))


def _minus(shares: Sequence[float]) -> float:
    return shares[0] - shares[1]


def _chance(mean: float, error: float, freedom: float) -> float | None:
    """Return the two-sided chance of a mean that far from zero."""
    if not error:
        return None if mean else 1.0
    return 2 * float(stdtr(freedom, -abs(mean) / error))
