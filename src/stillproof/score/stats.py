"""Statistics over seeds."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import expit, stdtrit

from stillproof.core.spec import Json


@dataclass(frozen=True, slots=True)
class Summary:
    """A mean with its spread: sample standard deviation and Student's 95 % interval, both unknown at n = 1.

    ``on_logit`` says that the interval was taken on the logit scale; mean and standard deviation never are. ``over`` is
    what the n are: seeds, or repetitions within a single one.
    """

    mean: float
    std: float | None
    n: int
    ci95: tuple[float, float] | None
    on_logit: bool = False
    over: str = "seeds"

    def as_dict(self) -> Json:
        """Return the summary as JSON values."""
        ci95 = None if self.ci95 is None else list(self.ci95)
        over = {} if self.over == "seeds" else {"over": self.over}
        return {"mean": self.mean, "std": self.std, "n": self.n, "ci95": ci95, **over}


def summarise(values: Sequence[float]) -> Summary:
    """Summarise the same quantity over seeds."""
    n = len(values)
    if n == 0:
        raise ValueError("there is nothing to summarise")
    # Equal values have no spread at all: that of rounding would pass for a difference that no seed contradicts.
    mean = values[0] if min(values) == max(values) else math.fsum(values) / n
    if n == 1:
        return Summary(mean, None, 1, None)
    std = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1))
    half = float(stdtrit(n - 1, 0.975)) * std / math.sqrt(n)
    return Summary(mean, std, n, (mean - half, mean + half))


def summarise_accuracies(values: Sequence[float], n_test: int | None) -> Summary:
    """Summarise accuracies, or other shares of ``n_test`` images, over seeds; the interval stays within 0 and 1.

    It is Student's on logit((right + 1/2) / (n_test + 1)), transformed back. What is shown beside it is the arithmetic
    mean, which lies inside unless there are many seeds that differ wildly. Where ``n_test`` is not known it is plain
    Student's, which may reach beyond 0 and 1.
    """
    found = summarise(values)
    if n_test is None or found.ci95 is None:
        return found
    if found.std == 0:
        return dataclasses.replace(found, on_logit=True)
    on_scale = summarise([_logit((value * n_test + 0.5) / (n_test + 1)) for value in values])
    assert on_scale.ci95 is not None
    low, high = (_share(end, n_test) for end in on_scale.ci95)
    return Summary(found.mean, found.std, found.n, (low, high), on_logit=True)


def _share(end: float, n_test: int) -> float:
    """Return a share of ``n_test`` images from the logit scale; the added halves leave half an image beyond 0 and 1."""
    return min(max((float(expit(end)) * (n_test + 1) - 0.5) / n_test, 0.0), 1.0)


def _logit(share: float) -> float:
    return math.log(share / (1 - share))
