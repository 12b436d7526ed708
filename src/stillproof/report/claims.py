"""What results claim, and the interval that a number has to lie in to bear it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import Any

from stillproof.core.components import metrics
from stillproof.report.answers import Answered
from stillproof.score import wilson
from stillproof.score.metric import AnswerShare
from stillproof.score.stats import Summary, summarise_accuracies

OVER_IMAGES = "test images"
OF_EPISODES = {
    "ra_after": ("under attack, adapted %", ("n_judged", "n")),  # answers of earlier versions have n alone
    "sa_after": ("clean, adapted %", ("n_clean",)),
}
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Claim:
    """One number of a row over its seeds.

    Args:
        title: What the number is called.
        summary: Its mean.
        interval: Where the mean of another computation has to lie, if that can be said.
        over: What the interval is over: seeds or test images.
        per_seed: The number of each seed.
        images: How many images it is a share of, if that is said.
    """

    title: str
    summary: Summary
    interval: tuple[float, float] | None
    over: str
    per_seed: Sequence[float | None]
    images: int | None = None

    def holds(self, mean: float) -> bool:
        """Say whether the mean of another computation bears it out."""
        low, high = self.interval or (self.summary.mean, self.summary.mean)
        return low - ROUNDING <= mean <= high + ROUNDING


def claims_of(row: Answered) -> dict[str, Claim]:
    """Return the numbers of a row that are shares of images, by name; scores are made of these."""
    found = {}
    for name, metric in _shares().items():
        values = [metric.value_or_none(row.answer(seed)) for seed in range(len(row.results))]
        summary = row.summary(name)
        if summary is not None:
            found[name] = _claim(metric.title, summary, row.counted(metric.counted), values)
    for name, (title, counted) in OF_EPISODES.items():
        values = [None if result is None else _mean(result.get(name)) for result in row.results]
        if known := [value for value in values if value is not None]:
            images = next((count for one in counted if (count := row.counted(one)) is not None), None)
            found[name] = _claim(title, summarise_accuracies(known, images), images, values)
    return found


def _claim(title: str, summary: Summary, images: int | None, per_seed: Sequence[float | None]) -> Claim:
    """Return a number with its interval; one of a single seed has that over the test images."""
    if summary.ci95 is None and images is not None:
        return Claim(title, summary, wilson(summary.mean * images, images), OVER_IMAGES, per_seed, images)
    over = OVER_IMAGES if summary.rule == "images" else summary.over
    return Claim(title, summary, summary.ci95, over, per_seed, images)


@cache
def _shares() -> dict[str, AnswerShare]:
    """Return our own metrics that are shares of images, by name."""
    ours = [name for name, entry in metrics.entries().items() if entry.origin == "stillproof"]
    built = {name: metrics.build(name) for name in ours}
    return {name: metric for name, metric in built.items() if isinstance(metric, AnswerShare)}


def _mean(episodes: Any) -> float | None:
    """Return the mean over the episodes of one seed, if there are any."""
    return fmean(episodes) if isinstance(episodes, list) and episodes else None
