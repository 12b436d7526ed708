from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from stillproof.core.seeds import Seeds
from stillproof.core.spec import canonical_json
from stillproof.score.nas import FEWEST, RESAMPLES, choice, rank_agreement, spearman_by_seed
from stillproof.score.rank_correlation import kendall, signs, spearman

SEEDS = Seeds(0).child("bootstrap")
# Few different values, so that ties are common.
pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=30)


def correlated(n: int, strength: float, seed: int) -> tuple[list[float], list[float]]:
    drawn = np.random.default_rng(seed).normal(size=(2, n))
    return list(drawn[0]), list(strength * drawn[0] + math.sqrt(1 - strength**2) * drawn[1])


@given(pairs)
def test_values_are_those_of_scipy(points: list[tuple[int, int]]) -> None:
    first, second = zip(*points, strict=True)
    assume(len(set(first)) > 1 and len(set(second)) > 1)
    found = rank_agreement(first, second, SEEDS)
    assert found.spearman.value == pytest.approx(stats.spearmanr(first, second).statistic, abs=1e-12)
    assert found.kendall.value == pytest.approx(stats.kendalltau(first, second).statistic, abs=1e-12)


@given(pairs, st.integers(0, 2**32))
def test_counting_points_is_the_same_as_repeating_them(points: list[tuple[int, int]], seed: int) -> None:
    first, second = np.array(points, float).T
    counts = np.random.default_rng(seed).multinomial(len(first), np.full(len(first), 1 / len(first)), size=3)
    for times in counts:
        repeated = np.repeat(first, times), np.repeat(second, times)
        both = signs(first), signs(second), times.astype(float)
        if min(len(set(values)) for values in repeated) == 1:
            assert np.isnan(spearman(*both)) and np.isnan(kendall(*both))
        else:
            assert spearman(*both) == pytest.approx(stats.spearmanr(*repeated).statistic, abs=1e-12)
            assert kendall(*both) == pytest.approx(stats.kendalltau(*repeated).statistic, abs=1e-12)


def test_the_interval_is_that_of_a_bootstrap_over_architectures() -> None:
    first, second = correlated(40, 0.7, seed=1)
    found = rank_agreement(first, second, SEEDS)
    for estimate, statistic in ((found.spearman, stats.spearmanr), (found.kendall, stats.kendalltau)):
        expected = stats.bootstrap(
            (first, second),
            lambda a, b, statistic=statistic: statistic(a, b).statistic,
            paired=True,
            vectorized=False,
            method="percentile",
            n_resamples=RESAMPLES,
            random_state=np.random.default_rng(5),
        ).confidence_interval
        assert estimate.ci95 == pytest.approx((expected.low, expected.high), abs=0.03)


@pytest.mark.parametrize("strength", [0.0, 0.75])
def test_nineteen_of_twenty_intervals_hold_the_truth(strength: float) -> None:
    trials, held = 200, {"spearman": 0, "kendall": 0}
    # Of normal variables with this correlation.
    truth = {
        "spearman": 6 / math.pi * math.asin(strength / 2),
        "kendall": 2 / math.pi * math.asin(strength),
    }
    for seed in range(trials):
        found = rank_agreement(*correlated(30, strength, seed), Seeds(seed))
        for name, estimate in (("spearman", found.spearman), ("kendall", found.kendall)):
            assert estimate.ci95 is not None
            held[name] += estimate.ci95[0] <= truth[name] <= estimate.ci95[1]
    assert all(0.9 <= count / trials <= 0.99 for count in held.values()), held


@given(pairs)
@settings(max_examples=30)
def test_intervals_lie_between_minus_one_and_one(points: list[tuple[int, int]]) -> None:
    first, second = zip(*points, strict=True)
    assume(len(set(first)) > 1 and len(set(second)) > 1)
    found = rank_agreement(first, second, SEEDS)
    for estimate in (found.spearman, found.kendall):
        if len(points) < FEWEST:
            assert estimate.ci95 is None and "too few" in estimate.reason
        else:
            assert estimate.ci95 is not None and estimate.reason == ""
            assert -1 <= estimate.ci95[0] <= estimate.ci95[1] <= 1


def test_only_the_order_counts() -> None:
    first, second = correlated(20, 0.5, seed=2)
    found = rank_agreement(first, second, SEEDS)
    assert rank_agreement([math.exp(value) for value in first], second, SEEDS) == found
    backwards = rank_agreement([-value for value in first], second, SEEDS)
    for ours, theirs in ((found.spearman, backwards.spearman), (found.kendall, backwards.kendall)):
        assert ours.value is not None and ours.ci95 is not None
        assert theirs.value == pytest.approx(-ours.value)
        assert theirs.ci95 == pytest.approx((-ours.ci95[1], -ours.ci95[0]))


def test_the_same_seeds_give_the_same_interval_and_others_give_others() -> None:
    points = correlated(20, 0.5, seed=3)
    assert rank_agreement(*points, Seeds(1)) == rank_agreement(*points, Seeds(1))
    assert rank_agreement(*points, Seeds(1)).spearman.ci95 != rank_agreement(*points, Seeds(2)).spearman.ci95


def test_a_perfect_proxy() -> None:
    found = rank_agreement(range(10), range(10), SEEDS).as_dict()
    perfect = {"value": 1.0, "ci95": [1.0, 1.0], "reason": ""}
    assert found == {"spearman": perfect, "kendall": perfect, "n": 10}


@pytest.mark.parametrize(
    ("proxy", "truth", "reason"),
    [
        ([0.1] * 6, [1, 2, 3, 4, 5, 6], "the proxy is the same for all 6"),
        ([1, 2, 3], [0.1] * 3, "the truth is the same"),
        ([1], [2], "the proxy is the same for all 1"),
    ],
)
def test_what_orders_nothing_has_no_correlation(proxy: list[float], truth: list[float], reason: str) -> None:
    found = rank_agreement(proxy, truth, SEEDS)
    for estimate in (found.spearman, found.kendall):
        assert estimate.value is None and estimate.ci95 is None and estimate.reason.startswith(reason)
    assert "NaN" not in canonical_json(found.as_dict())


def test_a_resample_that_orders_nothing_is_left_out() -> None:
    found = rank_agreement([0, 0, 0, 0, 1], [0, 0, 0, 0, 1], SEEDS)
    assert found.spearman.ci95 == (1.0, 1.0)


@pytest.mark.parametrize("bad", [([1, 2], [1]), ([], []), ([1, math.nan], [1, 2]), ([1, 2], [1, math.inf])])
def test_unusable_numbers_are_refused(bad: tuple[list[float], list[float]]) -> None:
    with pytest.raises(ValueError, match="architecture"):
        rank_agreement(*bad, SEEDS)
    with pytest.raises(ValueError, match="architecture"):
        choice(*bad)


def test_the_choice_is_the_true_accuracy_of_the_proxys_best() -> None:
    found = choice([0.3, 0.5, 0.4], [0.94, 0.90, 0.92])
    assert found.as_dict() == {"top1": 0.9, "tied": 1, "best": 0.94, "regret": pytest.approx(0.04)}


def test_a_tie_is_broken_by_lot() -> None:
    found = choice([0.5, 0.5, 0.4, 0.5], [0.90, 0.94, 0.95, 0.86])
    assert found.as_dict() == {"top1": pytest.approx(0.9), "tied": 3, "best": 0.95, "regret": pytest.approx(0.05)}


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1)), min_size=1, max_size=20))
def test_regret_is_never_negative_and_zero_for_the_truth_itself(points: list[tuple[int, float]]) -> None:
    proxy, truth = zip(*points, strict=True)
    assert choice(proxy, truth).regret >= -1e-12
    assert choice(truth, truth).regret == pytest.approx(0, abs=1e-12)


def test_the_mean_of_seeds_is_that_of_their_own_correlations() -> None:
    truth = [1.0, 2.0, 3.0, 4.0, 5.0]
    proxies = [[1.0, 2.0, 3.0, 5.0, 4.0], [2.0, 1.0, 3.0, 4.0, 5.0], [5.0, 4.0, 3.0, 2.0, 1.0]]
    found = spearman_by_seed(proxies, truth)
    assert found is not None and found.n == 3
    assert found.mean == pytest.approx(np.mean([stats.spearmanr(proxy, truth).statistic for proxy in proxies]))
    assert spearman_by_seed([proxies[0], [1.0] * 5], truth) is None and spearman_by_seed([], truth) is None
