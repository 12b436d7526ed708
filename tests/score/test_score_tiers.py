"""Which methods can be told apart: by hand, and how often rank intervals hold the true ranks."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from stillproof.core.errors import BadInput
from stillproof.core.spec import canonical_json
from stillproof.score.difference import unpaired_difference
from stillproof.score.holm import holm
from stillproof.score.tiers import MethodAnswers, Place, Tiers, rank_tiers

Numbers = Sequence[float | None]


def by_seed(**values: Numbers) -> dict[str, MethodAnswers]:
    return {name: MethodAnswers(seeds) for name, seeds in values.items()}


def places(found: Tiers) -> dict[str, tuple[int, int, int] | None]:
    return {name: None if one is None else (one.rank, one.best, one.worst) for name, one in found.places.items()}


THREE = by_seed(a=[0.80, 0.81, 0.82, 0.80], b=[0.79, 0.82, 0.80, 0.81], c=[0.30, 0.31, 0.33, 0.30])


def test_a_method_that_is_clearly_worse_has_a_tier_of_its_own() -> None:
    found = rank_tiers(THREE)
    assert places(found) == {"a": (1, 1, 2), "b": (2, 1, 2), "c": (3, 3, 3)} and found.over == "seeds"
    assert [one.tier for one in found.places.values() if one] == [1, 1, 3]
    told = found.as_dict()
    assert told["places"]["a"] == {"rank": 1, "ranks": [1, 2], "tier": 1} and canonical_json(told)
    assert [(pair["first"], pair["second"], pair["better"]) for pair in told["pairs"]] == [
        ("a", "b", None),
        ("a", "c", "a"),
        ("b", "c", "b"),
    ]


def test_chances_over_seeds_are_students_adjusted_for_all_pairs() -> None:
    names = list(itertools.combinations(THREE, 2))
    plain = [stats.ttest_rel(THREE[a].values, THREE[b].values).pvalue for a, b in names]
    found = rank_tiers(THREE).pairs
    assert [pair.p_seeds for pair in found] == pytest.approx(plain, rel=1e-6)
    assert [pair.p for pair in found] == pytest.approx(holm(plain), rel=1e-6)
    apart = rank_tiers(THREE, shared_seeds=False).pairs
    assert [pair.p_seeds for pair in apart] == [
        unpaired_difference([*map(float, THREE[a].values)], [*map(float, THREE[b].values)]).p  # type: ignore[arg-type]
        for a, b in names
    ]


def test_low_values_may_be_good_ones() -> None:
    assert places(rank_tiers(THREE, lower_is_better=True)) == {"a": (3, 2, 3), "b": (2, 2, 3), "c": (1, 1, 1)}


def test_a_method_that_lacks_a_value_is_not_ranked_and_does_not_count() -> None:
    found = rank_tiers(THREE | by_seed(d=[0.9, None, 0.9, 0.9], e=[]))
    assert places(found) == places(rank_tiers(THREE)) | {"d": None, "e": None}
    assert found.pairs == rank_tiers(THREE).pairs
    assert rank_tiers({}).as_dict() == {"places": {}, "over": "nothing", "pairs": []}


def test_equals_share_the_better_rank() -> None:
    found = rank_tiers(by_seed(a=[0.5, 0.7], b=[0.7, 0.5], c=[0.1, 0.2]))
    assert [one.rank for one in found.places.values() if one] == [1, 1, 3]


def test_seeds_that_differ_by_one_amount_prove_nothing() -> None:
    assert places(rank_tiers(by_seed(a=[0.5, 0.6], b=[0.4, 0.5]))) == {"a": (1, 1, 2), "b": (2, 1, 2)}


def answers(right: np.ndarray) -> MethodAnswers:
    return MethodAnswers(right.mean(1).tolist(), right)


def test_of_single_seeds_the_images_decide() -> None:
    good, bad = np.ones((1, 50), bool), np.arange(50)[None] < 30
    found = rank_tiers({"good": answers(good), "bad": answers(bad)})
    assert found.over == "images" and places(found) == {"good": (1, 1, 1), "bad": (2, 2, 2)}
    (pair,) = found.pairs
    assert pair.p_seeds is None and pair.p_images == pytest.approx(stats.binomtest(0, 20).pvalue) and pair.better
    values = rank_tiers(by_seed(good=[1.0], bad=[0.6]))
    assert values.over == "nothing" and places(values) == {"good": (1, 1, 2), "bad": (2, 1, 2)}


def test_what_seeds_alone_would_show_needs_the_images_too() -> None:
    noise = np.zeros((3, 40), bool)
    first, second = noise.copy(), noise.copy()
    first[:, :23], second[:, :20] = True, True
    first[0, 23] = True  # seeds differ a little
    assert places(
        rank_tiers({name: MethodAnswers(answers(one).values) for name, one in (("a", first), ("b", second))})
    )["a"] == (1, 1, 1)
    found = rank_tiers({"a": answers(first), "b": answers(second)})
    (pair,) = found.pairs
    assert found.over == "seeds and images" and pair.p_seeds is not None and pair.p_seeds < 0.05
    assert pair.p_images is not None and pair.p_images > 0.05 and pair.p >= pair.p_images
    assert places(found)["a"] == (1, 1, 2)


def test_outcomes_that_do_not_fit_are_refused() -> None:
    right = np.ones((2, 9), bool)
    with pytest.raises(BadInput, match="different numbers of seeds"):
        rank_tiers(by_seed(a=[0.1, 0.2], b=[0.1]))
    assert rank_tiers(by_seed(a=[0.1, 0.2], b=[0.1]), shared_seeds=False).places["a"] == Place(1, 1, 2)
    with pytest.raises(BadInput, match="outcomes of a have shape"):
        rank_tiers({"a": MethodAnswers([0.1, 0.2, 0.3], right)})
    with pytest.raises(BadInput, match="different numbers of test images"):
        rank_tiers({"a": answers(right), "b": answers(right[:, :5])})


# How often all rank intervals hold the true ranks at once. A network is right where the sum of what a method, a seed,
# an image, an image under a method, and chance bring is above zero.


def drawn(
    rng: np.random.Generator, truth: Sequence[float], seeds: int, images: int, by_seeds: float, by_images: float
) -> dict[str, MethodAnswers]:
    image, spread = rng.standard_normal(images), np.sqrt(2 + by_seeds**2 + by_images**2)
    found = {}
    for place, share in enumerate(truth):
        level = ndtri(share) * spread + by_seeds * rng.standard_normal((seeds, 1))
        level = level + image + by_images * rng.standard_normal(images)
        found[str(place)] = answers(level + rng.standard_normal((seeds, images)) > 0)
    return found


def holds(truth: Sequence[float], places: Mapping[str, Place | None]) -> bool:
    """Say whether nothing was told apart that is equal or the other way round."""
    known = [(share, place) for share, place in zip(truth, places.values(), strict=True) if place is not None]
    return all(
        place.best <= 1 + sum(other > share for other in truth)
        and place.worst >= len(truth) - sum(other < share for other in truth)
        for share, place in known
    )


@pytest.mark.parametrize("truth", [[0.6] * 2, [0.6] * 5, [0.5, 0.5, 0.6, 0.6, 0.8]])
@pytest.mark.parametrize("seeds", [3, 5])
@pytest.mark.parametrize(("by_seeds", "by_images"), [(0.0, 1.0), (0.05, 1.0), (0.15, 1.0), (0.3, 2.0)])
def test_rank_intervals_hold_all_true_ranks_at_once(
    truth: list[float], seeds: int, by_seeds: float, by_images: float
) -> None:
    rng = np.random.default_rng(3)
    draws = 800 if len(truth) == 2 else 200
    found = [rank_tiers(drawn(rng, truth, seeds, 300, by_seeds, by_images)) for _ in range(draws)]
    lost = 1 - np.mean([holds(truth, one.places) for one in found])
    assert lost <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / draws), "but for chance"
    if truth[-1] == 0.8 and seeds == 5:
        told = np.mean([place.worst - place.best for one in found for place in one.places.values() if place])
        assert told < 3, "large differences are seen"


def test_without_outcomes_or_with_single_seeds_ties_stay_together() -> None:
    rng = np.random.default_rng(4)
    alone = [rank_tiers(drawn(rng, [0.6] * 3, 1, 300, 0.0, 1.0)) for _ in range(400)]
    without = [
        rank_tiers({str(one): MethodAnswers(rng.normal(0.6, 0.02, 4).tolist()) for one in range(3)}) for _ in range(400)
    ]
    for found in (alone, without):
        assert np.mean([any(pair.better for pair in one.pairs) for one in found]) <= 0.07
