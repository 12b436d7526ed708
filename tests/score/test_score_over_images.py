"""Intervals over test images: by hand, against other libraries, and how often they hold the truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from stillproof.core.components import metrics
from stillproof.score.difference import difference_of_shares
from stillproof.score.metric import (
    AttackedModel,
    AttackOutcome,
    AugmentationSides,
    LabelSides,
    Metric,
    StoredAnswer,
    UnderAttack,
)
from stillproof.score.over_images import square_and_add, wilson
from stillproof.score.stats import Summary, summarise, summarise_accuracies

Counts = NDArray[np.int64]


def test_wilson_is_as_in_textbooks() -> None:
    assert wilson(8, 10) == pytest.approx((0.4901625, 0.9433178), abs=1e-6)
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775328), abs=1e-6)
    assert 1 - 1e-12 < wilson(10, 10)[1] <= 1
    for count in (0, 1, 50, 99):
        interval = stats.binomtest(count, 100).proportion_ci(method="wilson")
        assert wilson(count, 100) == pytest.approx((interval.low, interval.high))


@pytest.mark.parametrize(
    ("counts", "totals", "expected"),
    [  # Newcombe 1998, table II, method 10
        ((56, 48), (70, 80), (0.0524, 0.3339)),
        ((9, 3), (10, 10), (0.1705, 0.8090)),
        ((5, 0), (56, 29), (-0.0381, 0.1926)),
        ((10, 0), (10, 20), (0.6791, 1.0)),
    ],
)
def test_of_a_difference_it_is_newcombes(
    counts: tuple[int, int], totals: tuple[int, int], expected: tuple[float, float]
) -> None:
    shares = [count / total for count, total in zip(counts, totals, strict=True)]
    found = square_and_add(lambda both: both[0] - both[1], shares, totals)
    assert found == pytest.approx(expected, abs=1e-4)


def test_of_one_share_it_is_wilsons_and_turns_with_the_score() -> None:
    assert square_and_add(lambda one: one[0], [0.3], [40]) == pytest.approx(wilson(12, 40))
    low, high = wilson(12, 40)
    assert square_and_add(lambda one: -one[0], [0.3], [40]) == pytest.approx((-high, -low))
    assert square_and_add(lambda one: one[1], [0.3, 0.3], [40, 40]) == pytest.approx(wilson(12, 40)), (
        "the first is idle"
    )


def test_differences_over_seeds_know_of_the_images() -> None:
    first, second = [0.5, 0.52, 0.54], [0.4, 0.42, 0.44]
    plain = summarise([0.1, 0.1, 0.1])
    assert difference_of_shares(first, second, None).ci95 == pytest.approx(plain.ci95)
    found = difference_of_shares(first, second, 100)
    seeds = [
        square_and_add(lambda both: both[0] - both[1], pair, (100, 100)) for pair in zip(first, second, strict=True)
    ]
    assert found.rule == "images" and found.ci95 == pytest.approx(np.mean(seeds, axis=0))
    assert difference_of_shares([0.5, 0.9], [0.4, 0.4], 100).rule == "student", "seeds vary more than images"
    assert difference_of_shares([0.5], [0.4], 100).ci95 is None


def attacked(clean: float, *left: float, images: int | None = 100) -> AttackedModel:
    attacks = {f"attack {place}": AttackOutcome(share, 2.0 + place) for place, share in enumerate(left)}
    return AttackedModel(clean, attacks, worst_case=min(left), images=images)


def summary(name: str, *evidence: Any) -> Summary:
    metric: Metric[Any] = metrics.build(name)
    found = metric.over_seeds(evidence)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "evidence"),
    [
        ("hlr", LabelSides(0.9, 0.5, 0.6, 0.4, images=40)),
        ("ior", LabelSides(own=0.6, random=0.4, images=40)),
        ("lrs", LabelSides(0.9, 0.5, 0.6, 0.4, images=40)),
        ("ars", AugmentationSides(0.6, 0.5, 0.5, 0.45, images=40)),
        ("rr", UnderAttack([attacked(0.9, 0.2, 0.5)])),
        ("crei-passes", UnderAttack([attacked(0.9, 0.2, 0.5)])),
        ("clean-accuracy", UnderAttack([attacked(0.9, 0.2, 0.5)])),
        ("mean-robust-accuracy", UnderAttack([attacked(0.9, 0.2, 0.5)])),
        ("worst-case-accuracy", UnderAttack([attacked(0.9, 0.2, 0.5)])),
        ("accuracy", StoredAnswer({"accuracy": 0.5, "n_test": 40})),
    ],
)
def test_scores_of_seeds_that_agree_have_the_width_of_their_test_images(name: str, evidence: Any) -> None:
    two, many = summary(name, evidence, evidence), summary(name, *[evidence] * 20)
    assert two.ci95 is not None and two.rule == many.rule == "images"
    assert two.ci95[0] < two.mean < two.ci95[1] and two.std == 0
    assert two.ci95 == pytest.approx(many.ci95), "seeds share the images"
    assert summary(name, evidence).ci95 is None


def test_times_and_unknown_numbers_of_images_keep_students_interval() -> None:
    sides = LabelSides(0.9, 0.5, 0.6, 0.4)
    assert summary("lrs", sides, sides).rule == "student"
    models = UnderAttack([attacked(0.9, 0.2, 0.5)])
    assert summary("ae-passes", models, models).rule == "student"
    unknown = UnderAttack([attacked(0.9, 0.2, 0.5, images=None)])
    assert summary("rr", unknown, unknown).ci95 == (summary("rr", unknown).mean,) * 2


def test_models_that_are_pooled_are_judged_by_the_same_images() -> None:
    one, two = UnderAttack([attacked(0.9, 0.2)]), UnderAttack([attacked(0.9, 0.2)] * 2)
    for name in ("clean-accuracy", "mean-robust-accuracy", "worst-case-accuracy"):
        assert summary(name, two, two) == summary(name, one, one)
    mixed = UnderAttack([attacked(0.9, 0.2), attacked(0.9, 0.2, images=50)])
    assert summary("clean-accuracy", mixed, mixed).rule == "student"


def test_what_is_the_same_training_by_definition_moves_as_one() -> None:
    cells = {"own": "a", "random": "a"}  # random images beside themselves
    same = LabelSides(own=0.6, random=0.6, images=40, cells=cells)
    assert summary("ior", same, same).ci95 == (0.0, 0.0)
    hard = LabelSides(0.9, 0.5, 0.5, 0.4, images=40, cells={"hard": "a", "own": "a"})
    apart = LabelSides(0.9, 0.5, 0.5, 0.4, images=40)
    wide, narrow = (summary("lrs", one, one).ci95 or (0.0, 0.0) for one in (hard, apart))
    assert wide[1] - wide[0] > narrow[1] - narrow[0], "both gains stand on one training"


def test_a_ratio_goes_as_far_as_attacks_that_take_nothing_away() -> None:
    weak = UnderAttack([attacked(0.9, 0.85, 0.88, images=40)])
    found = summary("rr", weak, weak)
    assert found.ci95 is not None and found.ci95[1] >= 1 > found.mean


# How often intervals hold the truth. Of all images some are right under every network, some under none; the others are
# right with a chance that is each seed's own: seeds share the images, and differ besides.
DRAWS = 1500
SEEDS = (2, 3, 5)
SPREADS = (0.0, 0.1, 0.2)  # of the chance, which is 1/2 on average
LEAST = 0.92  # of 0.95: the wider of two intervals is a little narrow where seeds and images vary by as much


def drawn(
    rng: np.random.Generator, easy: float, varied: Sequence[float], images: int, seeds: int, spread: float
) -> list[Counts]:
    """Return how many images are right, (draws, seeds), for each of several networks that share the easy images."""
    hard = 1 - easy - max(varied)
    kinds = rng.multinomial(images, [easy, max(varied), hard], size=DRAWS)
    found = []
    for share in varied:
        own = rng.binomial(kinds[:, 1], share / max(varied)) if share < max(varied) else kinds[:, 1]
        chance = rng.uniform(0.5 - spread, 0.5 + spread, (DRAWS, seeds))
        found.append(kinds[:, :1] + rng.binomial(own[:, None], chance))
    return found


def held(summaries: Sequence[Summary], truth: float) -> float:
    ends = [one.ci95 for one in summaries if one.ci95 is not None]
    assert len(ends) == len(summaries) > 0
    return float(np.mean([low <= truth <= high for low, high in ends]))


@pytest.mark.parametrize("images", [40, 100, 1000])
@pytest.mark.parametrize("truth", [0.01, 0.1, 0.5, 0.98])
def test_intervals_of_accuracies_hold_the_truth_over_seeds_and_images(truth: float, images: int) -> None:
    rng = np.random.default_rng(0)
    width = min(truth, 1 - truth)
    for seeds in SEEDS:
        for spread in SPREADS:
            (right,) = drawn(rng, truth - width / 2, [width], images, seeds, spread)
            found = [summarise_accuracies((one / images).tolist(), images) for one in right]
            assert held(found, truth) >= LEAST, (seeds, spread)


def differences(shares: Sequence[NDArray[np.float64]], images: int) -> list[Summary]:
    first, second = shares
    return [
        difference_of_shares(one.tolist(), other.tolist(), images) for one, other in zip(first, second, strict=True)
    ]


def label_scores(shares: Sequence[NDArray[np.float64]], images: int) -> list[Summary]:
    seeds = np.stack(shares, 2)  # (draws, seeds, four accuracies)
    return [
        summary("lrs", *(LabelSides(*map(float, seed), images=images) for seed in draw)) for draw in seeds[: DRAWS // 4]
    ]


def lrs(real: float, hard: float, own: float, random: float) -> float:
    exponent = 0.5 * (own - random) - 0.5 * (real - hard)
    return (math.exp(exponent) - math.exp(-1)) / (math.e - math.exp(-1))


@pytest.mark.parametrize(
    ("varied", "of", "score"),
    [
        ((0.6, 0.2), differences, lambda first, second: first - second),
        ((0.04, 0.02), differences, lambda first, second: first - second),
        ((0.6, 0.2, 0.4, 0.3), label_scores, lrs),
    ],
)
def test_intervals_of_scores_hold_the_truth_over_seeds_and_images(
    varied: Sequence[float], of: Callable[..., list[Summary]], score: Callable[..., float]
) -> None:
    rng = np.random.default_rng(1)
    easy = 0.2
    for images, seeds, spread in ((40, 2, 0.0), (100, 3, 0.2), (1000, 5, 0.1)):
        right = drawn(rng, easy, varied, images, seeds, spread)
        found = of([one / images for one in right], images)
        truth = score(*(easy + share / 2 for share in varied))
        assert held(found, truth) >= LEAST, (images, seeds)
