from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from stillproof.core.seeds import Seeds
from stillproof.score.ranking import drop, order_kept, ranking_preserved, unseen_mean

SEEDS = Seeds(0).child("bootstrap")
METHODS = "abcdefgh"
accuracies = st.integers(0, 20).map(lambda correct: correct / 20)


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    methods = METHODS[: draw(st.integers(2, 6))]
    counts = {method: draw(st.integers(1, 4)) for method in methods}
    return tuple(  # type: ignore[return-value]
        {m: draw(st.lists(accuracies, min_size=n, max_size=n)) for m, n in counts.items()} for _ in range(2)
    )


@given(tables())
@settings(max_examples=50)
def test_values_are_those_of_scipy_on_the_means(both: tuple[dict[str, list[float]], dict[str, list[float]]]) -> None:
    home, other = ([round(float(np.mean(values)), 9) for values in table.values()] for table in both)
    found = ranking_preserved(*both, SEEDS)
    assert found.n == len(home)
    if len(set(home)) == 1 or len(set(other)) == 1:
        assert found.spearman.value is None and "no order" in found.kendall.reason
        return
    assert found.spearman.value == pytest.approx(stats.spearmanr(home, other).statistic, abs=1e-12)
    assert found.kendall.value == pytest.approx(stats.kendalltau(home, other).statistic, abs=1e-12)
    if min(map(len, both[0].values())) == 1:
        assert found.kendall.ci95 is None and "two seeds" in found.kendall.reason
    else:
        assert found.kendall.ci95 is not None and -1 <= found.kendall.ci95[0] <= found.kendall.ci95[1] <= 1


def test_the_interval_is_that_of_all_resamples_of_seeds() -> None:
    home = {"a": [0.1, 0.5], "b": [0.3, 0.2], "c": [0.4, 0.6], "d": [0.35, 0.33]}
    other = {"a": [0.2, 0.4], "b": [0.5, 0.1], "c": [0.3, 0.2], "d": [0.6, 0.7]}
    resamples = list(itertools.product(range(2), repeat=2))  # all four of two seeds
    taus, rhos = [], []
    for chosen in itertools.product(resamples, repeat=4):
        drawn = dict(zip("abcd", chosen, strict=True))
        means = [[round(sum(table[m][p] for p in drawn[m]) / 2, 9) for m in table] for table in (home, other)]
        taus.append(stats.kendalltau(*means).statistic)
        rhos.append(stats.spearmanr(*means).statistic)
    found = ranking_preserved(home, other, SEEDS)
    assert found.kendall.ci95 == pytest.approx(np.quantile(taus, [0.025, 0.975]), abs=1e-9)
    assert found.spearman.ci95 == pytest.approx(np.quantile(rhos, [0.025, 0.975]), abs=1e-9)
    assert len(set(taus)) > 3, "the resamples differ"


def test_distant_methods_keep_their_order_and_near_ones_may_lose_it() -> None:
    far = {"a": [0.1, 0.11], "b": [0.5, 0.51], "c": [0.9, 0.91], "d": [0.95, 0.96]}
    found = ranking_preserved(far, far, SEEDS)
    assert found.kendall.as_dict() == {"value": 1.0, "ci95": [1.0, 1.0], "reason": ""}
    near = {"a": [0.49, 0.52], "b": [0.5, 0.51], "c": [0.52, 0.5], "d": [0.5, 0.525]}
    shifted = {method: values[::-1] for method, values in near.items()}
    interval = ranking_preserved(near, shifted, SEEDS).kendall.ci95
    assert interval is not None and interval[1] - interval[0] > 0.5


def test_a_seed_brings_both_networks_along() -> None:
    # Equal on both networks, seed by seed: every resample orders the methods in the same way on both.
    near = {"a": [0.49, 0.52, 0.1], "b": [0.5, 0.51, 0.7], "c": [0.52, 0.5, 0.3]}
    assert ranking_preserved(near, near, SEEDS).spearman.ci95 == (1.0, 1.0)


@given(st.permutations("abcde"))
def test_the_order_in_which_methods_are_listed_does_not_matter(order: list[str]) -> None:
    drawn = np.random.default_rng(0).random((2, 5, 3))
    home, other = ({m: list(drawn[k, "abcde".index(m)]) for m in order} for k in range(2))
    first = {m: home[m] for m in "abcde"}, {m: other[m] for m in "abcde"}
    found, expected = ranking_preserved(home, other, SEEDS), ranking_preserved(*first, SEEDS)
    assert found.spearman.ci95 == pytest.approx(expected.spearman.ci95)
    assert found.kendall.value == pytest.approx(expected.kendall.value)


def test_means_that_are_equal_but_for_rounding_are_ties() -> None:
    table = {"a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.1], "c": [0.7, 0.1, 0.4]}
    other = {"a": [0.1, 0.1, 0.1], "b": [0.2, 0.2, 0.2], "c": [0.3, 0.3, 0.3]}
    assert ranking_preserved(table, other, SEEDS).kendall.value == pytest.approx(
        stats.kendalltau([1, 1, 2], [1, 2, 3]).statistic
    )


@pytest.mark.parametrize(
    ("home", "other"),
    [
        ({}, {}),
        ({"a": [0.1]}, {"b": [0.1]}),
        ({"a": [0.1, 0.2]}, {"a": [0.1]}),
        ({"a": []}, {"a": []}),
        ({"a": [0.1]}, {"a": [math.nan]}),
    ],
)
def test_tables_that_do_not_fit_are_refused(home: dict[str, list[float]], other: dict[str, list[float]]) -> None:
    with pytest.raises(ValueError, match=r"need the same|finite"):
        ranking_preserved(home, other, SEEDS)


def test_one_method_has_no_order() -> None:
    assert "at least two methods" in ranking_preserved({"a": [0.1, 0.2]}, {"a": [0.1, 0.2]}, SEEDS).spearman.reason


TRANSFER = {"convnet-3": [0.50, 0.54], "mlp": [0.30, 0.30], "vit": [0.20, 0.26], "resnet-18": [0.40, 0.43]}


def test_the_mean_over_unseen_networks_leaves_the_home_network_out() -> None:
    found = unseen_mean(TRANSFER, "convnet-3")
    per_seed = [(0.30 + 0.20 + 0.40) / 3, (0.30 + 0.26 + 0.43) / 3]
    assert found.mean == pytest.approx(np.mean(per_seed))
    assert found.std == pytest.approx(np.std(per_seed, ddof=1))
    assert found.n == 2


def test_the_drop_is_taken_seed_by_seed() -> None:
    found = drop(TRANSFER, "convnet-3")
    per_seed = [0.50 - 0.30, 0.54 - 0.33]
    assert found.mean == pytest.approx(0.205) and found.std == pytest.approx(np.std(per_seed, ddof=1))


def test_published_transfer_at_50_images_per_class() -> None:
    # Table 5 of DC-Bench, CIFAR-10, in percent. By hand: 4 of 15 pairs of methods change places, and the squared
    # differences of ranks are 9, 4 and 1.
    convnet = {"k-center": [56.00], "dc": [56.81], "dsa": [60.28], "dm": [61.99], "kip": [56.94], "mtt": [70.28]}
    vit = {"k-center": [44.65], "dc": [30.14], "dsa": [43.30], "dm": [45.22], "kip": [18.28], "mtt": [47.72]}
    found = ranking_preserved(convnet, vit, SEEDS)
    assert found.kendall.value == pytest.approx(7 / 15) and found.spearman.value == pytest.approx(1 - 6 * 14 / 210)
    mtt = {"convnet-3": [0.7028], "mlp": [0.3845], "resnet-18": [0.5996], "resnet-152": [0.2090], "vit": [0.4772]}
    expected = {"mean": pytest.approx(0.417575), "std": None, "n": 1, "ci95": None}
    assert unseen_mean(mtt, "convnet-3").as_dict() == expected
    assert drop(mtt, "convnet-3").mean == pytest.approx(0.285225)


def test_an_order_is_that_of_the_methods_that_have_both_numbers() -> None:
    pairs = {"a": [(0.1, 0.3), (0.2, 0.4)], "b": [(0.3, 0.2), (0.4, 0.1)], "c": [(0.5, 0.6), (0.6, 0.5)], "d": []}
    first, second = ({name: [pair[side] for pair in pairs[name]] for name in "abc"} for side in (0, 1))
    assert order_kept(pairs, SEEDS) == ranking_preserved(first, second, SEEDS)
    few = order_kept({name: pairs[name] for name in "abd"}, SEEDS)
    assert (few.n, few.kendall.value) == (2, None) and "at least 3 methods" in few.kendall.reason


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"mlp": [0.1], "vit": [0.2]}, "'convnet-3' and on at least one other"),
        ({"convnet-3": [0.1]}, "at least one other"),
        ({"convnet-3": [0.1], "mlp": [0.1, 0.2]}, "the same seeds"),
    ],
)
def test_transfer_that_cannot_be_summarised_is_refused(table: dict[str, list[float]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        unseen_mean(table, "convnet-3")
    with pytest.raises(ValueError, match=message):
        drop(table, "convnet-3")


@given(st.lists(st.lists(accuracies, min_size=3, max_size=3), min_size=2, max_size=5))
def test_home_is_the_unseen_mean_and_the_drop_together(rows: list[list[float]]) -> None:
    assume(rows)
    table = {f"net-{place}": row for place, row in enumerate(rows)}
    both = unseen_mean(table, "net-0").mean + drop(table, "net-0").mean
    assert both == pytest.approx(np.mean(rows[0]), abs=1e-9)
