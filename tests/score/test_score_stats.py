from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stillproof.core.spec import canonical_json
from stillproof.score.stats import summarise

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
