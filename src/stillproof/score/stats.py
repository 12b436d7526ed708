"""Statistics over seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import stdtrit

from stillproof.core.spec import Json


@dataclass(frozen=True, slots=True)
class Summary:
    """A mean with its spread: sample standard deviation and Student's 95 % interval, both unknown at n = 1."""

    mean: float
    std: float | None
    n: int
    ci95: tuple[float, float] | None

    def as_dict(self) -> Json:
        """Return the summary as JSON values."""
        ci95 = None if self.ci95 is None else list(self.ci95)
        return {"mean": self.mean, "std": self.std, "n": self.n, "ci95": ci95}


def summarise(values: Sequence[float]) -> Summary:
    """Summarise the same quantity over seeds."""
    n = len(values)
    if n == 0:
        raise ValueError("there is nothing to summarise")
    mean = math.fsum(values) / n
    if n == 1:
        return Summary(mean, None, 1, None)
    std = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1))
    half = float(stdtrit(n - 1, 0.975)) * std / math.sqrt(n)
    return Summary(mean, std, n, (mean - half, mean + half))
