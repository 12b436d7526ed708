"""A method's images and random ones, trained on with and without augmentation, and ARS, seed by seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stillproof.report.answers import Answered
from stillproof.report.dd_ranking.sides import RANDOM, SET, gain_over_random
from stillproof.report.rows import complete, grouped
from stillproof.report.tables.table import Difference
from stillproof.score.dd_ranking import augmentation_robust_score, improvement_over_random, over_seeds
from stillproof.score.stats import Summary


@dataclass(frozen=True, slots=True)
class Augmented:
    """One method with one number of images under one network.

    Args:
        row: A row that says what they are about.
        own_with: The method's images with augmentation.
        random_with: As many random real images with it.
        own_without: The method's images without any.
        random_without: The random ones without any.
    """

    row: Answered
    own_with: Answered | None
    random_with: Answered | None
    own_without: Answered | None
    random_without: Answered | None

    def named(self) -> dict[str, Answered | None]:
        """Return the four by name."""
        return {
            "own_with": self.own_with,
            "random_with": self.random_with,
            "own_without": self.own_without,
            "random_without": self.random_without,
        }

    def rows(self) -> list[Answered]:
        """Return those of the four that were asked for."""
        return [row for row in self.named().values() if row is not None]

    def ior(self, *, augmented: bool) -> Difference | None:
        """Return what images gain over random ones, both with augmentation or both without."""
        pair = (self.own_with, self.random_with) if augmented else (self.own_without, self.random_without)
        return gain_over_random(*pair)

    def ars(self) -> Summary | None:
        """Return the score over those seeds that have all four accuracies."""
        seeds = complete(*(row.values() if row is not None else [] for row in self.named().values()))
        if not seeds:
            return None
        own_with, random_with, own_without, random_without = zip(*seeds, strict=True)
        with_it = improvement_over_random(own_with, random_with)
        return over_seeds(augmentation_robust_score(with_it, improvement_over_random(own_without, random_without)))

    def is_placed(self) -> bool:
        """Say whether both differences are known."""
        return self.ior(augmented=True) is not None and self.ior(augmented=False) is not None

    def why_not(self) -> str:
        """Say what the score lacks."""
        absent = [name.replace("_", " ") for name, row in self.named().items() if row is None or row.summary() is None]
        return f"no accuracy of {' and '.join(absent)}" if absent else "no seed has all four accuracies"


def augmented_of(rows: Sequence[Answered]) -> list[Augmented]:
    """Return what the rows ask about, in their order."""
    return [_augmented(group) for group in grouped(rows, "dataset", "network", "method", "ipc").values()]


def _augmented(group: Sequence[Answered]) -> Augmented:
    found = {(row["images"], bool(row["augmented"])): row for row in group}
    ways = ((SET, True), (RANDOM, True), (SET, False), (RANDOM, False))
    return Augmented(group[0], *(found.get(way) for way in ways))
