"""Curves of robust accuracy, the area below them, and optimality, against values computed by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillproof.core.errors import BadInput, Unsupported
from stillproof.score.optimality import best_known, global_optimality, local_optimality
from stillproof.score.robust_curve import area_under, robust_curve

INF = float("inf")
AWAY, RIGHT = [1.0, 2.0, INF, 0.5], [True, True, True, False]


def test_a_curve_falls_where_images_are_lost() -> None:
    points = robust_curve(AWAY, RIGHT, [0.0, 0.99, 1.0, 2.0, 100.0])
    assert [point.robust for point in points] == [0.75, 0.75, 0.5, 0.25, 0.25]
    assert [point.eps for point in points] == [0.0, 0.99, 1.0, 2.0, 100.0]
    assert all(point.ci95[0] < point.robust < point.ci95[1] for point in points)


def test_a_size_that_rounding_made_a_little_larger_is_within_its_radius() -> None:
    stored = np.array([0.05, 0.05, 8 / 255, 12.0], dtype=np.float32)  # as attacks keep sizes
    larger = stored.astype(np.float64) + np.array([3e-8, 3e-6, 3e-8, 5e-6])
    reached = [robust_curve([away], [True], [eps])[0].robust for away, eps in zip(larger, stored, strict=True)]
    assert reached == [0.0, 1.0, 0.0, 0.0]
    assert robust_curve([1e-8], [True], [0.0])[0].robust == 1.0, "no change is none at all"


def test_the_area_is_that_of_the_steps() -> None:
    # 0.75 up to 1, 0.5 up to 2, 0.25 up to 4.
    assert area_under(AWAY, RIGHT, 4.0) == pytest.approx(0.75 + 0.5 + 2 * 0.25)
    assert area_under(AWAY, RIGHT, 0.5) == pytest.approx(0.375)


@given(
    st.lists(st.tuples(st.floats(0, 3), st.booleans()), min_size=1, max_size=30),
    st.floats(0.1, 5),
)
def test_the_area_is_the_integral_of_the_curve(images: list[tuple[float, bool]], up_to: float) -> None:
    away, right = zip(*images, strict=True)
    grid = np.linspace(0, up_to, 4001)
    middles = (grid[1:] + grid[:-1]) / 2
    numeric = np.mean([point.robust for point in robust_curve(away, right, list(middles))]) * up_to
    assert area_under(away, right, up_to) == pytest.approx(numeric, abs=up_to / 2000)


def test_optimality_by_hand() -> None:
    ours, theirs = [0.0, 1.0, 2.0, 4.0], [0.0, 2.0, 1.0, INF]
    best = best_known([ours, theirs])
    assert best.tolist() == [0.0, 1.0, 1.0, 4.0]
    # Largest 4; A* = 6/4; A0 = 3/4 of 4; A = 7/4 and (2 + 1 + 4) / 4.
    assert local_optimality(ours, best) == pytest.approx(1 - 0.25 / 1.5)
    assert local_optimality(theirs, best) == pytest.approx(1 - 0.25 / 1.5)
    assert local_optimality(best, best) == 1.0
    assert local_optimality([0.0, INF, INF, INF], best) == 0.0
    assert global_optimality([1.0, 0.5]) == 0.75


def test_with_many_images_it_is_what_the_authors_compute() -> None:
    draw = np.random.default_rng(0)
    best = np.concatenate([np.zeros(200), draw.gamma(2.0, size=1800)])
    away = best * draw.uniform(1, 1.5, size=len(best))
    away[draw.random(len(best)) < 0.001] = INF
    away[:200] = 0.0

    def trapezia(found: np.ndarray) -> float:
        sizes, counts = np.unique(found.clip(max=best.max()), return_counts=True)
        return float(np.trapezoid(1 - counts.cumsum() / len(found), sizes))

    clean = np.count_nonzero(best) / len(best)
    theirs = 1 - (trapezia(away) - trapezia(best)) / (clean * best.max() - trapezia(best))
    assert local_optimality(away, best) == pytest.approx(theirs, abs=2e-3)


@pytest.mark.parametrize(
    ("distances", "best", "said"),
    [([0.0, INF], [0.0, INF], "no attack turned any image"), ([1.0, 1.0], [1.0, 1.0], "the same best-known distance")],
)
def test_what_is_not_defined_says_so(distances: list[float], best: list[float], said: str) -> None:
    with pytest.raises(Unsupported, match=said):
        local_optimality(distances, best)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(BadInput, match="do not fit"):
        robust_curve([1.0], [True, False], [0.5])
    with pytest.raises(BadInput, match="negative or no number"):
        robust_curve([-1.0], [True], [0.5])
    with pytest.raises(BadInput, match="needs a finite radius above 0"):
        area_under([1.0], [True], INF)
    with pytest.raises(BadInput, match="do not fit"):
        local_optimality([1.0], [1.0, 2.0])
    with pytest.raises(BadInput, match="all on the same images"):
        best_known([[1.0], [1.0, 2.0]])
