"""Which methods can be told apart: their ranks, the ranks that cannot be excluded, and tiers."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.score.difference import DIGITS, DifferenceOverSeeds, paired_difference, unpaired_difference
from stillproof.score.holm import holm
from stillproof.score.mcnemar import mcnemar
from stillproof.score.rank_correlation import Floats

LEVEL = 0.05
Right: TypeAlias = NDArray[np.bool_] | None
Over: TypeAlias = Literal["seeds and images", "seeds", "images", "nothing"]


@dataclass(frozen=True, slots=True)
class MethodAnswers:
    """What is known of one method.

    Args:
        values: A number of each seed; none where one is missing.
        right: Which test images each seed has right, (seeds, images), where that is stored.
    """

    values: Sequence[float | None]
    right: Right = None

    def known(self) -> list[float] | None:
        """Return the numbers of all seeds; nothing if one is missing."""
        found = [value for value in self.values if value is not None]
        return found if found and len(found) == len(self.values) else None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a method stands.

    Args:
        rank: By its mean; equals share the better one.
        best: The best rank that cannot be excluded: one more than methods were shown to be better.
        worst: The worst one: all but the methods that were shown to be worse.
    """

    rank: int
    best: int
    worst: int

    @property
    def tier(self) -> int:
        """Return one more than the number of methods that were shown to be better."""
        return self.best

    def as_dict(self) -> Json:
        """Return the place as JSON values."""
        return {"rank": self.rank, "ranks": [self.best, self.worst], "tier": self.tier}


@dataclass(frozen=True, slots=True)
class Compared:
    """Two methods side by side.

    Args:
        first: One of them.
        second: The other.
        p_seeds: The chance over seeds; none where it is not known.
        p_images: The chance over test images; none where outcomes are not stored.
        p_both: The chance over both at once; none where one of them is not known.
        p: The largest of these, adjusted by Holm for all pairs; 1 where nothing can be tested.
        better: Which of them was shown to be better.
    """

    first: str
    second: str
    p_seeds: float | None
    p_images: float | None
    p_both: float | None
    p: float
    better: str | None

    def as_dict(self) -> Json:
        """Return the comparison as JSON values."""
        return dataclasses.asdict(self)


@dataclass(frozen=True, slots=True)
class Tiers:
    """The places of all methods.

    Args:
        places: By method; none for one that lacks a value.
        over: What the pairs were compared over: what holds for all of them, or the least.
        pairs: All comparisons.
    """

    places: Mapping[str, Place | None]
    over: Over
    pairs: Sequence[Compared]

    def as_dict(self) -> Json:
        """Return the tiers as JSON values."""
        places = {name: None if place is None else place.as_dict() for name, place in self.places.items()}
        return {"places": places, "over": self.over, "pairs": [pair.as_dict() for pair in self.pairs]}


def rank_tiers(
    methods: Mapping[str, MethodAnswers], *, lower_is_better: bool = False, shared_seeds: bool = True
) -> Tiers:
    """Return where each method stands, and which ranks cannot be excluded at 5 %.

    A method is shown to be better if other seeds would show it, and other test images, and both at once: the largest of
    these chances counts, adjusted by Holm for all pairs. So the chance that any rank interval misses the true rank is
    at most 5 %. With single seeds the images alone decide, which says something of these very networks; without stored
    outcomes the seeds alone.

    Args:
        methods: Their answers, all for the same test images in the same order.
        lower_is_better: Whether a low value is a good one.
        shared_seeds: Whether the seeds of all methods are the same in the same order, and so are paired.
    """
    ranked = {name: known for name, answers in methods.items() if (known := answers.known()) is not None}
    means = {name: round(math.fsum(known) / len(known), DIGITS) for name, known in ranked.items()}
    goodness = {name: -mean if lower_is_better else mean for name, mean in means.items()}
    _check(methods, ranked, shared_seeds=shared_seeds)
    alone = all(len(known) == 1 for known in ranked.values())  # single seeds: nothing to test over these
    names = list(itertools.combinations(ranked, 2))
    found = [_chances(ranked[a], ranked[b], methods[a].right, methods[b].right, shared=shared_seeds) for a, b in names]
    adjusted = holm([_largest(chances, alone=alone) for chances in found])
    pairs = []
    for (first, second), chances, p in zip(names, found, adjusted, strict=True):
        ahead = first if goodness[first] > goodness[second] else second
        pairs.append(Compared(first, second, *chances, p, ahead if p < LEVEL else None))
    places = {name: _place(name, goodness, pairs) if name in ranked else None for name in methods}
    return Tiers(places, _over(methods, ranked, alone=alone), pairs)


def _check(methods: Mapping[str, MethodAnswers], ranked: Mapping[str, Sequence[float]], *, shared_seeds: bool) -> None:
    if shared_seeds and len({len(known) for known in ranked.values()}) > 1:
        raise BadInput("methods have different numbers of seeds, so that they cannot be paired: name those of all.")
    stored = {name: right for name in ranked if (right := methods[name].right) is not None}
    if wrong := [name for name, right in stored.items() if right.ndim != 2 or len(right) != len(ranked[name])]:
        raise BadInput(f"the outcomes of {wrong[0]} have shape {stored[wrong[0]].shape}: give one row for each seed.")
    if len({right.shape[1] for right in stored.values()}) > 1:
        raise BadInput("outcomes are of different numbers of test images: compare methods on the same ones.")


def _chances(
    first: Sequence[float], second: Sequence[float], one: Right, other: Right, *, shared: bool
) -> tuple[float | None, float | None, float | None]:
    """Return the chances over seeds, over images and over both at once."""
    over_seeds = (paired_difference if shared else unpaired_difference)(first, second)
    if one is None or other is None:
        return over_seeds.p, None, None
    pairs = min(len(one), len(other))
    # Each image is one piece of evidence, however many seeds have answered it.
    net = one[:pairs].sum(0, dtype=np.int64) - other[:pairs].sum(0, dtype=np.int64)
    scores, images = np.unique(net, return_counts=True)
    p_images = mcnemar(dict(zip(scores.tolist(), images.tolist(), strict=True))).p
    return over_seeds.p, p_images, _over_both(over_seeds, net / pairs)


def _over_both(over_seeds: DifferenceOverSeeds, net: Floats) -> float | None:
    """Return the chance of the difference if seeds and images both vary; its variance is at most the sum of both.

    Where both vary by as much, each by itself would see a difference too often.
    """
    if over_seeds.error is None or over_seeds.freedom is None or len(net) < 2:
        return None
    by_seeds, by_images = over_seeds.error**2, float(net.var(ddof=1)) / len(net)
    both = by_seeds + by_images
    if not both:
        return over_seeds.p
    freedom = both**2 / (by_seeds**2 / over_seeds.freedom + by_images**2 / (len(net) - 1))  # Satterthwaite's
    return 2 * float(stdtr(freedom, -abs(over_seeds.summary.mean) / math.sqrt(both)))


def _largest(chances: Sequence[float | None], *, alone: bool) -> float:
    """Return the chance that counts; seeds that differ by nothing but one amount prove nothing."""
    p_seeds, p_images, p_both = chances
    if alone:
        return 1.0 if p_images is None else p_images
    return 1.0 if p_seeds is None else max(p_seeds, p_images or 0.0, p_both or 0.0)


def _place(name: str, goodness: Mapping[str, float], pairs: Sequence[Compared]) -> Place:
    own = [pair for pair in pairs if name in (pair.first, pair.second) and pair.better is not None]
    worse = sum(pair.better == name for pair in own)
    rank = 1 + sum(other > goodness[name] for other in goodness.values())
    return Place(rank, 1 + len(own) - worse, len(goodness) - worse)


def _over(methods: Mapping[str, MethodAnswers], ranked: Mapping[str, Sequence[float]], *, alone: bool) -> Over:
    stored = bool(ranked) and all(methods[name].right is not None for name in ranked)
    if alone:
        return "images" if stored else "nothing"
    return "seeds and images" if stored else "seeds"
