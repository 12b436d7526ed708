"""How far two orders of the same things agree: rank correlations with bootstrap intervals, or why there are none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stillproof.core.spec import Json
from stillproof.score.rank_correlation import Floats, kendall, signs, spearman


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval; where one of them does not exist, ``reason`` says why."""

    value: float | None
    ci95: tuple[float, float] | None
    reason: str = ""

    def as_dict(self) -> Json:
        """Return the estimate as JSON values."""
        return {"value": self.value, "ci95": None if self.ci95 is None else list(self.ci95), "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Agreement:
    """Spearman's rho and Kendall's tau-b over ``n`` things."""

    spearman: Estimate
    kendall: Estimate
    n: int

    def as_dict(self) -> Json:
        """Return the agreement as JSON values."""
        return {"spearman": self.spearman.as_dict(), "kendall": self.kendall.as_dict(), "n": self.n}


@dataclass(frozen=True, slots=True)
class Resamples:
    """Bootstrap resamples of two variables: values, (n,) or (resamples, n), and how often each counts."""

    first: Floats
    second: Floats
    counts: Floats  # (resamples, n)


def agreement(first: Floats, second: Floats, drawn: Resamples | None, reason: str = "") -> Agreement:
    """Return the agreement of two variables; its intervals are percentile intervals of ``drawn``.

    Args:
        first: One variable, (n,), not constant.
        second: The other.
        drawn: Resamples; those in which a variable is constant are left out.
        reason: Why there are none.
    """

    def estimate(correlation: Callable[[Floats, Floats, Floats], Floats]) -> Estimate:
        value = float(correlation(signs(first), signs(second), np.ones(len(first))))
        if drawn is None:
            return Estimate(value, None, reason)
        return Estimate(value, _middle(correlation(signs(drawn.first), signs(drawn.second), drawn.counts)))

    return Agreement(estimate(spearman), estimate(kendall), len(first))


def no_agreement(n: int, reason: str) -> Agreement:
    """Return the agreement that does not exist."""
    return Agreement(Estimate(None, None, reason), Estimate(None, None, reason), n)


def _middle(draws: Floats) -> tuple[float, float]:
    low, high = np.nanquantile(draws, (0.025, 0.975))
    return float(low), float(high)
