"""Scores of an architecture search: how well a cheap proxy orders architectures, and what it would have chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.score.agreement import Agreement, Resamples, agreement, no_agreement
from stillproof.score.rank_correlation import Floats, signs, spearman
from stillproof.score.stats import Summary, summarise

RESAMPLES = 2000
FEWEST = 5  # architectures, for an interval


@dataclass(frozen=True, slots=True)
class Choice:
    """What a search by the proxy finds: true accuracies as fractions.

    Args:
        top1: Of the architecture that the proxy ranks best; where several share that place, their mean, which is what
            a random choice among them finds.
        tied: How many share that place.
        best: The best of the sample.
        regret: How much of the best the choice loses.
    """

    top1: float
    tied: int
    best: float
    regret: float

    def as_dict(self) -> Json:
        """Return the choice as JSON values."""
        return asdict(self)


def rank_agreement(proxy: Sequence[float], truth: Sequence[float], seeds: Seeds) -> Agreement:
    """Return Spearman's rho and Kendall's tau-b of the proxy with the truth over a sample of architectures.

    The intervals are percentile intervals of a bootstrap over architectures; on normal variables, 93 to 98 % of them
    hold the truth with 10 to 100 architectures. Memory grows with the square of the sample.

    Args:
        proxy: What the search sees of each architecture.
        truth: What it is worth.
        seeds: Where the resamples are drawn from.
    """
    first, second = _arrays(proxy, truth)
    n = len(first)
    for what, values in (("proxy", first), ("truth", second)):
        if np.ptp(values) == 0:
            return no_agreement(n, f"the {what} is the same for all {n} architectures, which orders nothing")
    if n < FEWEST:
        return agreement(first, second, None, f"{n} architectures are too few for an interval")
    counts = seeds.numpy().multinomial(n, np.full(n, 1 / n), size=RESAMPLES).astype(np.float64)
    return agreement(first, second, Resamples(first, second, counts))


def spearman_by_seed(proxies: Sequence[Sequence[float]], truth: Sequence[float]) -> Summary | None:
    """Return Spearman's rho of each seed's own proxy with the truth, summarised over seeds, as DC-Bench averages it.

    It tends to lie below the rho of the mean proxy, in which the noise of the seeds is averaged out. There is none if a
    proxy or the truth is the same for all architectures.
    """
    arrays = [_arrays(proxy, truth) for proxy in proxies]
    if not arrays or any(np.ptp(values) == 0 for pair in arrays for values in pair):
        return None
    ones = np.ones(len(truth))
    return summarise([float(spearman(signs(first), signs(second), ones)) for first, second in arrays])


def choice(proxy: Sequence[float], truth: Sequence[float]) -> Choice:
    """Return what choosing by the proxy finds."""
    first, second = _arrays(proxy, truth)
    winners = second[first == first.max()]
    top1, best = float(winners.mean()), float(second.max())
    return Choice(top1=top1, tied=len(winners), best=best, regret=best - top1)


def _arrays(proxy: Sequence[float], truth: Sequence[float]) -> tuple[Floats, Floats]:
    first, second = np.asarray(proxy, np.float64), np.asarray(truth, np.float64)
    if first.ndim != 1 or first.shape != second.shape or len(first) == 0:
        raise ValueError("one proxy and one true value are needed for each of at least one architecture")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("a proxy or a true value is not a finite number: leave that architecture out")
    return first, second
