"""Whether the order of methods survives under something else, such as another network, and what is lost there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from stillproof.core.seeds import Seeds
from stillproof.score.agreement import Agreement, Resamples, agreement, no_agreement
from stillproof.score.difference import difference_of_shares
from stillproof.score.stats import Summary, summarise_accuracies

RESAMPLES = 2000
DIGITS = 12  # means that are equal but for rounding are ties
FEWEST = 3  # methods that a report compares the order of; of two, it is either kept or reversed

BySeed = Mapping[str, Sequence[float]]  # accuracies as fractions, one per seed, in the order of the seeds


def ranking_preserved(home: BySeed, other: BySeed, seeds: Seeds) -> Agreement:
    """Return Spearman's rho and Kendall's tau-b between the orders of the methods on two networks.

    Methods are ordered by their means over seeds. The intervals are percentile intervals of a bootstrap over the seeds
    of each method; a seed brings its accuracies on both networks, since both may come from one distilled set. The
    methods themselves are given, not drawn. With few seeds such intervals are somewhat too narrow.

    Args:
        home: Accuracies of each method on one network.
        other: Accuracies of the same methods and seeds on the other.
        seeds: Where the resamples are drawn from.
    """
    _check_methods(home, other)
    n = len(home)
    first, second = (np.array([_mean(table[method]) for method in home]) for table in (home, other))
    if n < 2:
        return no_agreement(n, "an order needs at least two methods")
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return no_agreement(n, "there is no order of methods: all are equally good on one of the networks")
    if min(map(len, home.values())) < 2:
        return agreement(first, second, None, "an interval needs at least two seeds of every method")
    return agreement(first, second, _resamples(home, other, seeds))


def order_kept(pairs: Mapping[str, Sequence[tuple[float, ...]]], seeds: Seeds) -> Agreement:
    """Return how far two orders of the methods agree that have both numbers.

    Args:
        pairs: By method, both numbers of each seed that has them.
        seeds: Where the resamples of the interval are drawn from.
    """
    known = {method: found for method, found in pairs.items() if found}
    if len(known) < FEWEST:
        return no_agreement(len(known), f"an order is compared of at least {FEWEST} methods")
    first, second = ({method: [seed[side] for seed in found] for method, found in known.items()} for side in (0, 1))
    return ranking_preserved(first, second, seeds)


def unseen_mean(accuracies: BySeed, home: str, n_test: int | None = None) -> Summary:
    """Return the mean over all networks but ``home``, summarised over seeds.

    Args:
        accuracies: Those of one method on each network.
        home: The network that the method distilled with.
        n_test: Number of test images, if it is known.
    """
    return summarise_accuracies(_unseen(accuracies, home), n_test)


def drop(accuracies: BySeed, home: str, n_test: int | None = None) -> Summary:
    """Return by how much ``home`` is above the unseen networks' mean, seed by seed, summarised over seeds.

    Args:
        accuracies: Those of one method on each network.
        home: The network that the method distilled with.
        n_test: Number of test images, if it is known.
    """
    unseen = _unseen(accuracies, home)
    return difference_of_shares(accuracies[home], unseen, n_test)


def _unseen(accuracies: BySeed, home: str) -> list[float]:
    """Return the mean over the networks other than ``home`` for each seed."""
    if home not in accuracies or len(accuracies) < 2:
        raise ValueError(f"accuracies on {home!r} and on at least one other network are needed")
    if len({len(values) for values in accuracies.values()}) != 1:
        raise ValueError("every network needs the same seeds")
    others = [values for network, values in accuracies.items() if network != home]
    return [_mean(values) for values in zip(*others, strict=True)]


def _check_methods(home: BySeed, other: BySeed) -> None:
    if home.keys() != other.keys() or not home:
        raise ValueError("both networks need the same methods, and at least one")
    for method, values in home.items():
        if len(values) != len(other[method]) or not values:
            raise ValueError(f"both networks need the same seeds of {method!r}, and at least one")
        if not all(math.isfinite(value) for value in (*values, *other[method])):
            raise ValueError(f"an accuracy of {method!r} is not a finite number: leave that seed out")


def _resamples(home: BySeed, other: BySeed, seeds: Seeds) -> Resamples:
    """Return the means of resampled seeds, (resamples, methods) for each network."""
    first, second = (np.empty((RESAMPLES, len(home))) for _ in range(2))
    for column, method in enumerate(home):
        # A stream for each method: leaving one out does not change the draws of the others.
        count = len(home[method])
        chosen = seeds.child(method).numpy().integers(0, count, (RESAMPLES, count))
        for means, table in ((first, home), (second, other)):
            means[:, column] = np.asarray(table[method], np.float64)[chosen].mean(1).round(DIGITS)
    return Resamples(first, second, np.ones_like(first))


def _mean(values: Sequence[float]) -> float:
    return round(math.fsum(values) / len(values), DIGITS)
