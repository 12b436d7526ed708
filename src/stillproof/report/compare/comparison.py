"""What the answers of two contenders say about their difference, adjusted for how many are compared."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stillproof.core.spec import Json
from stillproof.report.compare.match import Match
from stillproof.report.tables.table import Chance, Difference
from stillproof.report.tables.text import text_of
from stillproof.score.difference import DifferenceOverSeeds, paired_difference, unpaired_difference
from stillproof.score.holm import holm
from stillproof.score.mcnemar import PairedTest, interval_over_images, mcnemar
from stillproof.score.stats import Summary, summarise_accuracies

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Pair:
    """One network of each, on the same images."""

    seeds: tuple[int, int]
    both: int
    only_first: int
    only_second: int
    neither: int

    @property
    def test(self) -> PairedTest:
        """Return McNemar's test."""
        return mcnemar({1: self.only_first, -1: self.only_second})

    def as_dict(self) -> Json:
        """Return the pair as JSON values."""
        counts = {key: getattr(self, key) for key in ("both", "only_first", "only_second", "neither")}
        return {"seeds": list(self.seeds), **counts, **self.test.as_dict()}


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference of two contenders.

    Args:
        match: The contenders.
        n_test: Number of test images.
        pairs: Their networks, pair by pair.
        accuracies: Of either, over the seeds that are compared.
        over_seeds: The difference over seeds.
        interval: Its 95 % interval over test images.
        test: McNemar's test over all pairs.
        adjusted_seeds: Holm's p-value over seeds; unknown where there is none.
        adjusted_images: Holm's p-value over images.
    """

    match: Match
    n_test: int
    pairs: Sequence[Pair]
    accuracies: tuple[Summary, Summary]
    over_seeds: DifferenceOverSeeds
    interval: tuple[float, float]
    test: PairedTest
    adjusted_seeds: float | None
    adjusted_images: float

    @property
    def better(self) -> str | None:
        """Return the name of the better one, if seeds and images both show that it is; of single networks, images."""
        by_seeds = len(self.pairs) == 1 or (self.adjusted_seeds is not None and self.adjusted_seeds < LEVEL)
        if not (by_seeds and self.adjusted_images < LEVEL):
            return None
        return (self.match.first if self.over_seeds.summary.mean > 0 else self.match.second).name

    def __repr__(self) -> str:
        """Return the difference in points with its p-values."""
        points = text_of(Difference(self.over_seeds.summary))
        seeds = "" if self.adjusted_seeds is None else f"{text_of(Chance(self.adjusted_seeds))} over seeds, "
        chances = f"p {seeds}{text_of(Chance(self.adjusted_images))} over images"
        return f"<{self.match.first.name} over {self.match.second.name}: {points} points, {chances}>"

    def as_dict(self) -> Json:
        """Return the comparison as JSON values."""
        first, second = self.accuracies
        return {
            "first": self.match.first.name,
            "second": self.match.second.name,
            "about": dict(self.match.about),
            "accuracy_first": first.as_dict(),
            "accuracy_second": second.as_dict(),
            "difference": self.over_seeds.summary.as_dict(),
            "shared_seeds": self.match.shares_seeds,
            "p_seeds": self.over_seeds.p,
            "p_seeds_holm": self.adjusted_seeds,
            "n_test": self.n_test,
            "ci95_images": list(self.interval),
            "statistic": self.test.statistic,
            "p_images": self.test.p,
            "p_images_holm": self.adjusted_images,
            "pairs": [pair.as_dict() for pair in self.pairs],
            "better": self.better,
            "notes": self.caveats(),
        }

    def caveats(self) -> list[str]:
        """Say what else differs, which answers were left out, and why there is no test over seeds."""
        found = self.match.caveats()
        if len(self.pairs) > 1 and self.over_seeds.p is None:
            both = f"{self.match.first.name} and {self.match.second.name}"
            found.append(
                f"{both} differ by the same amount in all {len(self.pairs)} seeds, so there is nothing to test."
            )
        return found


def compared(matches: Sequence[Match], answers: Sequence[Json]) -> list[Comparison]:
    """Return what the answers of stage ``compare`` say of each match; all of them are one family of tests."""
    found = [_compared(match, answer) for match, answer in zip(matches, answers, strict=True)]
    seeds = _adjusted(comparison.over_seeds.p for comparison in found)
    images = holm([comparison.test.p for comparison in found])
    return [
        dataclasses.replace(comparison, adjusted_seeds=by_seeds, adjusted_images=by_images)
        for comparison, by_seeds, by_images in zip(found, seeds, images, strict=True)
    ]


def _compared(match: Match, answer: Json) -> Comparison:
    """Return a comparison as if it were the only one."""
    n_test, net = answer["n_test"], dict(answer["net"])
    counted = zip(match.pairs, answer["pairs"], strict=True)
    pairs = [Pair((one.seed, other.seed), **counts) for (one, other), counts in counted]
    first = [(pair.both + pair.only_first) / n_test for pair in pairs]
    second = [(pair.both + pair.only_second) / n_test for pair in pairs]
    over_seeds = (paired_difference if match.shares_seeds else unpaired_difference)(first, second)
    accuracies = summarise_accuracies(first, n_test), summarise_accuracies(second, n_test)
    interval, test = interval_over_images(net, len(pairs)), mcnemar(net)
    return Comparison(match, n_test, pairs, accuracies, over_seeds, interval, test, over_seeds.p, test.p)


def _adjusted(chances: Iterable[float | None]) -> list[float | None]:
    """Return Holm's p-values of those that are known."""
    known = list(chances)
    adjusted = iter(holm([chance for chance in known if chance is not None]))
    return [None if chance is None else next(adjusted) for chance in known]
