from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stillproof.score.mcnemar import FEW, interval_over_images, mcnemar

counts = st.integers(0, 60)
nets = st.dictionaries(st.integers(-3, 3), st.integers(0, 30), min_size=1)


@given(counts, counts)
def test_one_pair_is_the_binomial_test(first: int, second: int) -> None:
    found = mcnemar({1: first, -1: second, 0: 100})
    if first + second == 0:
        assert (found.statistic, found.p) == (0, 1)
        return
    assert found.statistic == pytest.approx((first - second) ** 2 / (first + second))
    assert found.p == pytest.approx(stats.binomtest(first, first + second).pvalue, rel=1e-9)


@pytest.mark.parametrize(
    ("first", "second", "statistic", "p"),
    [
        (
            150,
            86,
            17.3559,
            0.0000372,
        ),  # approval of the prime minister, asked twice: Agresti, Categorical Data Analysis
        (121, 59, 21.3556, 0.0000044),  # before and after a treatment, the usual example of the test
        (6, 16, 4.5455, 0.0525),  # few pairs: chi-squared would say 0.033
    ],
)
def test_it_gives_what_textbooks_print(first: int, second: int, statistic: float, p: float) -> None:
    found = mcnemar({1: first, -1: second})
    assert found.statistic == pytest.approx(statistic, abs=1e-4)
    assert found.p == pytest.approx(p, rel=0.02)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=10))
def test_several_pairs_are_tested_by_turning_every_sign(scores: list[int]) -> None:
    net = {score: scores.count(score) for score in scores}
    total = abs(sum(scores))
    turned = [
        abs(sum(map(math.prod, zip(scores, signs, strict=True))))
        for signs in itertools.product((1, -1), repeat=len(scores))
    ]
    assert mcnemar(net).p == pytest.approx(np.mean([value >= total for value in turned]), rel=1e-9)


@given(nets)
def test_it_does_not_matter_which_is_the_first(net: dict[int, int]) -> None:
    found, swapped = mcnemar(net), mcnemar({-score: images for score, images in net.items()})
    assert found.statistic == swapped.statistic and found.p == pytest.approx(swapped.p)
    assert 0 < found.p <= 1


def test_the_same_networks_again_are_no_new_evidence() -> None:
    once = mcnemar({1: 30, -1: 15, 0: 100})
    assert mcnemar({5: 30, -5: 15, 0: 100}).p == pytest.approx(once.p)
    assert mcnemar({1: 150, -1: 75}).p < once.p / 100, "which adding up the tables of five seeds would make of it"


def test_many_images_are_compared_by_chi_squared() -> None:
    first, second = FEW // 2 + 100, FEW // 2
    found = mcnemar({1: first, -1: second})
    assert found.p == pytest.approx(stats.chi2.sf(found.statistic, 1))
    assert found.p == pytest.approx(stats.binomtest(first, first + second).pvalue, rel=0.1)


def test_without_a_difference_few_are_found_although_seeds_share_their_images() -> None:
    rng = np.random.default_rng(0)
    # How likely each of 400 images is recognised after training on one set or on the other, in 300 experiments.
    likely = rng.beta(0.5, 0.5, (2, 300, 400, 1))
    first, second = rng.random((2, 300, 400, 5)) < likely  # five seeds each
    pairs = zip((first & ~second).sum((1, 2)), (second & ~first).sum((1, 2)), strict=True)
    scores = first.sum(2) - second.sum(2)
    combined = [mcnemar({score: int((row == score).sum()) for score in range(-5, 6)}).p for row in scores]
    added_up = [mcnemar({1: int(one), -1: int(other)}).p for one, other in pairs]
    assert np.mean(np.less(combined, 0.05)) < 0.08
    assert np.mean(np.less(added_up, 0.05)) > 0.2, "five answers for an image are not five images"


@given(counts, counts, st.integers(0, 500))
def test_the_interval_of_one_pair_is_bonett_and_prices(first: int, second: int, rest: int) -> None:
    n = first + second + rest + 2
    one, other = (first + 1) / n, (second + 1) / n
    half = stats.norm.ppf(0.975) * math.sqrt((one + other - (one - other) ** 2) / n)
    low, high = interval_over_images({1: first, -1: second, 0: rest}, 1)
    assert (low, high) == pytest.approx((max(one - other - half, -1), min(one - other + half, 1)))


@given(nets, st.integers(3, 9))
def test_an_interval_contains_the_difference_but_for_the_images_that_were_added(
    net: dict[int, int], pairs: int
) -> None:
    low, high = interval_over_images(net, pairs)
    mean = sum(score * images for score, images in net.items()) / pairs / (sum(net.values()) + 2)
    assert -1 <= low <= mean <= high <= 1


@pytest.mark.parametrize(("good", "seeds"), [(100, 1), (100, 5), (1, 5)])
def test_the_interval_holds_what_it_promises(good: float, seeds: int) -> None:
    rng = np.random.default_rng(1)
    # How likely each of 300 images is recognised by networks of either side, in 500 experiments.
    likely = np.stack([rng.beta(good, 1, (500, 300)), rng.beta(good, 1.3, (500, 300))])
    first, second = rng.binomial(seeds, likely)
    truth = good / (good + 1) - good / (good + 1.3)
    nets = [{score: int((row == score).sum()) for score in range(-seeds, seeds + 1)} for row in first - second]
    ends = [interval_over_images(net, seeds) for net in nets]
    assert 0.92 <= np.mean([low <= truth <= high for low, high in ends]) <= 0.985
