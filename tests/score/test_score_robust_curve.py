from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stillproof.score.robust_curve import left_at, mean_left

DISTANCES = st.lists(st.one_of(st.floats(0, 2), st.just(float("inf"))), min_size=1, max_size=30)


def test_by_hand() -> None:
    distances, right = np.array([0.0, 0.1, 0.3, np.inf]), np.array([False, True, True, True])
    assert [left_at(distances, right, eps) for eps in (0, 0.1, 0.2, 0.3)] == [0.75, 0.5, 0.5, 0.25]
    assert mean_left(distances, right, 0.2) == (0.1 + 0.2 + 0.2) / 4 / 0.2


@given(DISTANCES)
def test_the_area_is_that_of_many_steps(values: list[float]) -> None:
    distances = np.array(values)
    right = np.arange(len(values)) % 3 > 0
    steps = (np.arange(400) + 0.5) / 400
    fine = np.mean([left_at(distances, right, float(eps)) for eps in steps])
    assert abs(mean_left(distances, right, 1.0) - fine) < 5e-3
