"""The jackknife: exact for means, and near the truth for ratios of means."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from stillproof.core.errors import Unsupported
from stillproof.score.jackknife import jackknifed
from stillproof.score.stats import summarise


def test_of_a_mean_it_is_students_interval() -> None:
    values = np.array([0.1, 0.4, 0.35, 0.8])
    found, wanted = jackknifed(lambda at: float(values[at].mean()), 4), summarise(values.tolist())
    assert found.mean == pytest.approx(wanted.mean) and found.n == 4
    assert found.ci95 == pytest.approx(wanted.ci95) and found.std == pytest.approx(wanted.std)


def test_the_statistic_itself_is_shown_and_not_the_mean_of_pseudo_values() -> None:
    top, below = np.array([1.0, 2.0, 4.0]), np.array([2.0, 3.0, 9.0])
    assert jackknifed(lambda at: float(top[at].mean() / below[at].mean()), 3).mean == 7 / 14


def test_its_interval_covers_a_ratio_of_means() -> None:
    """95 of 100 intervals hold the truth, within what 400 of them can tell."""
    random, held = np.random.default_rng(0), 0
    for _ in range(400):
        below = random.normal(2.0, 0.3, 20)
        top = 0.5 * below + random.normal(0.5, 0.2, 20)

        def ratio(at: NDArray[np.intp], top: NDArray[np.float64] = top, below: NDArray[np.float64] = below) -> float:
            return float(top[at].mean() / below[at].mean())

        low, high = jackknifed(ratio, 20).ci95 or (0.0, 0.0)
        held += low <= 1.5 / 2.0 <= high
    assert 0.92 <= held / 400 <= 0.98


def test_one_repetition_and_one_that_cannot_be_left_out_have_no_interval() -> None:
    assert jackknifed(lambda at: 0.5, 1).ci95 is None

    def fragile(at: NDArray[np.intp]) -> float:
        if len(at) < 3:
            raise Unsupported("not defined")
        return 0.5

    assert jackknifed(fragile, 3).mean == 0.5 and jackknifed(fragile, 3).ci95 is None
