from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import expit, logit

from stillproof.core.spec import canonical_json
from stillproof.score.over_images import wilson
from stillproof.score.stats import summarise, summarise_accuracies, wider_of

fractions = st.floats(0, 1, allow_nan=False)
samples = st.lists(fractions, min_size=2, max_size=20)


@given(samples)
def test_it_agrees_with_scipy(values: list[float]) -> None:
    found = summarise(values)
    assert found.n == len(values)
    assert found.mean == pytest.approx(np.mean(values), abs=1e-12)
    assert found.std == pytest.approx(np.std(values, ddof=1), abs=1e-12)
    if np.std(values) > 1e-6:
        low, high = stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))
        assert found.ci95 == pytest.approx((low, high), abs=1e-9)


@given(samples)
def test_the_interval_lies_around_the_mean(values: list[float]) -> None:
    found = summarise(values)
    assert found.ci95 is not None
    low, high = found.ci95
    assert low <= found.mean <= high
    assert (found.mean - low) == pytest.approx(high - found.mean, abs=1e-12)


@given(samples, st.floats(-10, 10), st.floats(0.1, 10))
def test_shifting_and_scaling_the_values_does_so_to_the_summary(
    values: list[float], shift: float, scale: float
) -> None:
    before, after = summarise(values), summarise([scale * value + shift for value in values])
    assert before.std is not None and before.ci95 is not None and after.ci95 is not None
    assert after.mean == pytest.approx(scale * before.mean + shift, abs=1e-9)
    assert after.std == pytest.approx(scale * before.std, abs=1e-9)
    assert after.ci95 == pytest.approx([scale * end + shift for end in before.ci95], abs=1e-8)


@given(samples, st.randoms(use_true_random=False))
def test_the_order_of_the_seeds_does_not_matter(values: list[float], random: object) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert summarise(shuffled) == summarise(values)


def test_one_value_has_no_spread() -> None:
    found = summarise([0.25])
    assert found.as_dict() == {"mean": 0.25, "std": None, "n": 1, "ci95": None}
    assert canonical_json(found.as_dict()) == '{"ci95":null,"mean":0.25,"n":1,"std":null}'


def test_nothing_cannot_be_summarised() -> None:
    with pytest.raises(ValueError, match="nothing to summarise"):
        summarise([])


def test_equal_values_have_a_spread_of_zero() -> None:
    assert summarise([0.5] * 5).as_dict() == {"mean": 0.5, "std": 0.0, "n": 5, "ci95": [0.5, 0.5]}


def test_five_trainings_as_a_table_shows_them() -> None:
    # Five seeds around the published 44.59 % of 50 random images per class; printed tables have t(4, 0.975) = 2.7764.
    accuracies = [0.4412, 0.4459, 0.4470, 0.4438, 0.4516]
    found = summarise(accuracies)
    assert found.mean == pytest.approx(0.4459)
    assert found.std == pytest.approx(statistics.stdev(accuracies))
    assert found.std != pytest.approx(statistics.pstdev(accuracies), rel=0.05), "the sample's, not the population's"
    half = 2.7764 * statistics.stdev(accuracies) / math.sqrt(5)
    assert found.ci95 == pytest.approx((0.4459 - half, 0.4459 + half), abs=1e-6)


@st.composite
def accuracies(draw: st.DrawFn, most: int = 5) -> tuple[list[float], int]:
    n_test = draw(st.integers(1, 10_000))
    right = draw(st.lists(st.integers(0, n_test), min_size=2, max_size=most))
    return [count / n_test for count in right], n_test


@given(accuracies(most=50))
def test_intervals_of_accuracies_stay_within_0_and_1(drawn: tuple[list[float], int]) -> None:
    values, n_test = drawn
    found, plain = summarise_accuracies(values, n_test), summarise(values)
    assert found.ci95 is not None and found.rule in ("logit", "images")
    low, high = found.ci95
    assert 0 <= low <= high <= 1
    assert (found.mean, found.std, found.n) == (plain.mean, plain.std, plain.n), "the mean is the arithmetic one"


@given(accuracies(most=5))
def test_of_few_seeds_the_interval_contains_the_mean(drawn: tuple[list[float], int]) -> None:
    found = summarise_accuracies(*drawn)
    assert found.ci95 is not None
    assert found.ci95[0] - 1e-9 <= found.mean <= found.ci95[1] + 1e-9


def test_of_many_seeds_that_differ_wildly_the_interval_is_that_of_another_mean() -> None:
    # The interval is around the mean on the logit scale. With ever more seeds it closes in on that one, which is far
    # from the arithmetic mean only if networks of one kind are both perfect and guessing.
    found = summarise_accuracies([0.5, 0.999] * 100, 100_000)
    assert found.ci95 is not None and found.mean == pytest.approx(0.7495) and found.rule == "logit"
    assert found.mean < found.ci95[0] < expit((logit(0.5) + logit(0.999)) / 2) < found.ci95[1]
    alike = summarise_accuracies([0.74, 0.76] * 100, 100_000)
    assert alike.ci95 is not None and alike.ci95[0] < alike.mean < alike.ci95[1]


@given(accuracies(most=20))
def test_right_and_wrong_are_treated_alike(drawn: tuple[list[float], int]) -> None:
    values, n_test = drawn
    found, wrong = summarise_accuracies(values, n_test), summarise_accuracies([1 - value for value in values], n_test)
    assert found.ci95 is not None and wrong.ci95 is not None
    assert found.ci95 == pytest.approx((1 - wrong.ci95[1], 1 - wrong.ci95[0]), abs=1e-9)


def test_the_interval_of_accuracies_is_students_on_the_logit_scale() -> None:
    values, n_test = [0.94, 0.98, 0.99], 400
    scaled = [math.log((400 * value + 0.5) / (400 - 400 * value + 0.5)) for value in values]
    low, high = stats.t.interval(0.95, 2, loc=np.mean(scaled), scale=stats.sem(scaled))
    found = summarise_accuracies(values, n_test)
    assert found.ci95 == pytest.approx([(401 * expit(end) - 0.5) / 400 for end in (low, high)])
    assert found.ci95 is not None and found.ci95[1] < 1 < (summarise(values).ci95 or (0, 0))[1]


@pytest.mark.parametrize("value", [0.0, 0.25, 1.0])
def test_equal_accuracies_have_the_interval_of_their_test_images(value: float) -> None:
    for seeds in (2, 3, 50):  # more seeds on the same images do not narrow it
        found = summarise_accuracies([value] * seeds, 40)
        interval = stats.binomtest(round(40 * value), 40).proportion_ci(method="wilson")
        assert found.ci95 == pytest.approx((interval.low, interval.high)) and found.rule == "images"
        assert found.std == 0 and found.as_dict()["rule"] == "images"


def test_the_interval_over_images_stands_in_where_it_is_the_wider() -> None:
    values = [0.90, 0.92, 0.93]
    few, many = summarise_accuracies(values, 100), summarise_accuracies(values, 10_000)
    mean = sum(values) / 3
    assert few.rule == "images" and few.ci95 == pytest.approx(wilson(100 * mean, 100))
    assert many.rule == "logit" and many.ci95 is not None
    low, high = wilson(10_000 * mean, 10_000)
    assert many.ci95[1] - many.ci95[0] > high - low
    assert (few.mean, few.std, few.n) == (many.mean, many.std, many.n)


def test_an_interval_over_images_is_the_mean_of_those_of_the_seeds() -> None:
    narrow = summarise([0.5, 0.5, 0.53])
    found = wider_of(narrow, [(0.3, 0.6), (0.4, 0.7), (0.2, 0.8)])
    assert found.ci95 == pytest.approx((0.3, 0.7)) and found.rule == "images"
    assert wider_of(narrow, [(0.3, 0.6), None, (0.2, 0.8)]) == narrow, "one seed has none"
    assert wider_of(narrow, [(0.5, 0.51)] * 3) == narrow and wider_of(narrow, []) == narrow
    assert wider_of(summarise([0.5]), [(0.3, 0.6)]) == summarise([0.5]), "one seed has no interval at all"


def test_one_accuracy_has_no_interval() -> None:
    assert summarise_accuracies([0.25], 1000) == summarise([0.25])


def test_without_the_number_of_images_the_interval_is_plain_and_not_cut() -> None:
    found = summarise_accuracies([0.9, 1.0], None)
    assert found == summarise([0.9, 1.0]) and found.rule == "student"
    assert found.ci95 is not None and found.ci95[1] > 1
