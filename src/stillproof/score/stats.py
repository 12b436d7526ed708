"""Statistics over seeds, with intervals that know of the test images, too."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from scipy.special import expit, stdtrit

from stillproof.core.spec import Json
from stillproof.score.over_images import Ends, wilson

Rule: TypeAlias = Literal["student", "logit", "images"]


@dataclass(frozen=True, slots=True)
class Summary:
    """A mean with its spread: sample standard deviation and a 95 % interval, both unknown at n = 1.

    ``rule`` says what the interval is: Student's over seeds, that on the logit scale (on which mean and standard
    deviation never are), or one over the test ``images``, which stands in where it is the wider. ``over`` is what the n
    are: seeds, or repetitions within a single one.
    """

    mean: float
    std: float | None
    n: int
    ci95: Ends | None
    rule: Rule = "student"
    over: str = "seeds"

    def as_dict(self) -> Json:
        """Return the summary as JSON values."""
        ci95 = None if self.ci95 is None else list(self.ci95)
        rule = {} if self.ci95 is None or self.rule == "student" else {"rule": self.rule}
        over = {} if self.over == "seeds" else {"over": self.over}
        return {"mean": self.mean, "std": self.std, "n": self.n, "ci95": ci95, **rule, **over}


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

    It is the wider of two. Student's over seeds is taken on logit((right + 1/2) / (n_test + 1)), and transformed back;
    what is shown beside it is the arithmetic mean, which lies inside unless there are many seeds that differ wildly.
    Wilson's over the test images is that of the mean: all seeds are judged by the same images, so that more seeds do
    not narrow it. Where ``n_test`` is not known it is plain Student's, which may reach beyond 0 and 1.

    Args:
        values: One share per seed; it may be a mean of several shares of the same images.
        n_test: How many images there are, each counted once.
    """
    found = summarise(values)
    if n_test is None or found.ci95 is None:
        return found
    return wider_of(_on_logit(found, values, n_test), [wilson(found.mean * n_test, n_test)])


def wider_of(over_seeds: Summary, over_images: Iterable[Ends | None]) -> Summary:
    """Return a summary with its interval over test images, if there is one and it is wider than that over seeds.

    Args:
        over_seeds: The summary over seeds; where it has no interval, it stays as it is.
        over_images: Of each seed, the interval over images, or none. Their ends are averaged: seeds share the images.
    """
    if over_seeds.ci95 is None:
        return over_seeds
    every = list(over_images)
    known = [ends for ends in every if ends is not None]
    if not known or len(known) < len(every):
        return over_seeds
    low, high = (math.fsum(ends[side] for ends in known) / len(known) for side in (0, 1))
    if high - low <= over_seeds.ci95[1] - over_seeds.ci95[0]:
        return over_seeds
    ends = min(low, over_seeds.mean), max(high, over_seeds.mean)
    return dataclasses.replace(over_seeds, ci95=ends, rule="images")


def _on_logit(found: Summary, values: Sequence[float], n_test: int) -> Summary:
    """Return a summary of shares with Student's interval on the logit scale."""
    if found.std == 0:
        return dataclasses.replace(found, rule="logit")
    on_scale = summarise([_logit((value * n_test + 0.5) / (n_test + 1)) for value in values])
    assert on_scale.ci95 is not None
    low, high = (_share(end, n_test) for end in on_scale.ci95)
    return dataclasses.replace(found, ci95=(low, high), rule="logit")


def _share(end: float, n_test: int) -> float:
    """Return a share of ``n_test`` images from the logit scale; the added halves leave half an image beyond 0 and 1."""
    return min(max((float(expit(end)) * (n_test + 1) - 0.5) / n_test, 0.0), 1.0)


def _logit(share: float) -> float:
    return math.log(share / (1 - share))
