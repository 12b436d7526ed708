from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stillproof.score.by_class import class_scores
from stillproof.score.difference import paired_difference, unpaired_difference
from stillproof.score.holm import holm
from stillproof.score.stats import summarise, summarise_accuracies

chances = st.lists(st.floats(0, 1), min_size=1, max_size=12)
samples = st.lists(st.floats(0, 1).map(lambda value: round(value, 4)), min_size=2, max_size=8)


@given(
    samples.flatmap(
        lambda first: st.tuples(st.just(first), st.lists(st.floats(0, 1), min_size=len(first), max_size=len(first)))
    )
)
def test_paired_over_seeds_agrees_with_scipy(drawn: tuple[list[float], list[float]]) -> None:
    first, second = drawn
    found = paired_difference(first, second)
    assert found.summary.mean == pytest.approx(np.mean(first) - np.mean(second), abs=1e-9)
    if np.std(np.subtract(first, second)) > 1e-6:
        test = stats.ttest_rel(first, second)
        assert found.p == pytest.approx(test.pvalue, rel=1e-6)
        assert found.summary.ci95 == pytest.approx(tuple(test.confidence_interval()), abs=1e-9)


@given(samples, samples)
def test_two_samples_agree_with_scipy(first: list[float], second: list[float]) -> None:
    found = unpaired_difference(first, second)
    assert found.summary.mean == pytest.approx(np.mean(first) - np.mean(second), abs=1e-9)
    if np.std(first) > 1e-6 and np.std(second) > 1e-6:
        test = stats.ttest_ind(first, second, equal_var=False)
        assert found.p == pytest.approx(test.pvalue, rel=1e-6)
        assert found.summary.ci95 == pytest.approx(tuple(test.confidence_interval()), abs=1e-9)


def test_students_sleep() -> None:
    # Hours of sleep gained with two drugs, ten patients each: Student (1908), t = 4.0621 with 9 degrees of freedom.
    one = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    other = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    paired, welch = paired_difference(other, one), unpaired_difference(other, one)
    assert [paired.summary.mean, welch.summary.mean] == pytest.approx([1.58, 1.58])
    assert paired.p == pytest.approx(0.002833, abs=1e-6)
    assert paired.summary.ci95 == pytest.approx((0.7001142, 2.4598858), abs=1e-6)
    assert welch.p == pytest.approx(0.07939, abs=1e-5)


@given(st.integers(0, 10_000), st.sampled_from([359, 2000, 10_000]), st.integers(2, 10))
def test_rounding_is_no_spread(right: int, images: int, seeds: int) -> None:
    share = (right % images + 1) / images
    for found in (
        paired_difference([share] * seeds, [0.0] * seeds),
        unpaired_difference([share] * seeds, [0.0] * seeds),
    ):
        assert found.p is None and found.summary.ci95 == (found.summary.mean, found.summary.mean)


def test_a_spread_of_zero_proves_nothing() -> None:
    assert paired_difference([0.5, 0.6], [0.4, 0.5]).p is None, "two seeds that differ by as many images"
    assert paired_difference([0.5, 0.6], [0.5, 0.6]).p == 1
    assert unpaired_difference([0.5, 0.5], [0.4, 0.4]).p is None


@pytest.mark.parametrize("difference", [paired_difference, unpaired_difference])
def test_one_seed_has_no_chance(difference: object) -> None:
    found = difference([0.5], [0.25])  # type: ignore[operator]
    assert found.p is None and found.summary == summarise([0.25])


@given(chances)
def test_holm_agrees_with_its_definition(values: list[float]) -> None:
    found = holm(values)
    order = np.argsort(values, kind="stable")
    steps = [min(1.0, (len(values) - rank) * values[place]) for rank, place in enumerate(order)]
    expected = np.maximum.accumulate(steps)
    assert [found[place] for place in order] == pytest.approx(expected.tolist())
    assert all(one >= other for one, other in zip(found, values, strict=True))
    assert holm(values[:1]) == values[:1]


def test_holm_as_it_is_taught() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


def test_classes_are_summarised_over_seeds() -> None:
    answers = [{"classes": ["a", "b", "c"], "images": [4, 0, 5], "right": right} for right in ([1, 0, 5], [3, 0, 4])]
    first, none, last = class_scores(answers)
    assert (first.name, first.images, first.accuracy) == ("a", 4, summarise_accuracies([0.25, 0.75], 4))
    assert none.as_dict() == {"name": "b", "images": 0, "accuracy": None}
    assert last.accuracy is not None and last.accuracy.mean == pytest.approx(0.9)
