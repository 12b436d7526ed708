from __future__ import annotations

import importlib
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from stillproof.score import coverage

module = importlib.import_module("stillproof.score.coverage")  # the package has the function by that name

Floats = NDArray[np.float64]

seeds = st.integers(0, 2**32 - 1)
neighbours = st.integers(1, 5)


def drawn(seed: int, real: int, synthetic: int, dimensions: int = 3) -> tuple[Floats, Floats]:
    draw = np.random.default_rng(seed)
    # On a grid, where a point that is not on the edge of a ball is well inside or outside.
    points, others = draw.normal(size=(real, dimensions)), 1.5 * draw.normal(size=(synthetic, dimensions))
    return points.round(1), others.round(1)


def naive(real: Floats, synthetic: Floats, k: int) -> float:
    covered = 0
    for i, point in enumerate(real):
        radius = sorted(math.dist(point, other) for j, other in enumerate(real) if j != i)[k - 1]
        covered += any(math.dist(point, other) <= radius + 1e-9 for other in synthetic)
    return covered / len(real)


@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=6, max_size=25),
    st.lists(st.tuples(st.integers(-6, 6), st.integers(-6, 6)), min_size=1, max_size=10),
    neighbours,
)
def test_it_is_that_of_a_double_loop_on_grids_full_of_ties(
    real: list[tuple[int, int]], synthetic: list[tuple[int, int]], k: int
) -> None:
    points, others = np.array(real, float), np.array(synthetic, float)
    assert coverage(points, others, k) == naive(points, others, k)


@given(seeds, st.integers(6, 30), st.integers(1, 20), st.integers(1, 8), neighbours)
def test_it_is_that_of_a_double_loop_on_clouds(seed: int, real: int, synthetic: int, dimensions: int, k: int) -> None:
    points, others = drawn(seed, real, synthetic, dimensions)
    found = coverage(points, others, k)
    assert 0 <= found <= 1 and found == naive(points, others, k)


@given(seeds, st.integers(6, 30), neighbours, st.floats(-1e3, 1e3))
def test_real_points_cover_themselves(seed: int, real: int, k: int, shift: float) -> None:
    points, _ = drawn(seed, real, 1)
    assert coverage(points + shift, points + shift, k) == 1
    many = np.repeat(points + shift, k + 1, axis=0)  # every ball is a single point
    assert coverage(many, points + shift, k) == 1
    assert coverage(many, points + shift + 1e-3, k) == 0


@given(seeds, st.integers(6, 30), st.integers(1, 20), st.integers(1, 20), neighbours)
def test_more_synthetic_points_never_cover_less(seed: int, real: int, some: int, more: int, k: int) -> None:
    points, others = drawn(seed, real, some + more)
    assert coverage(points, others[:some], k) <= coverage(points, others, k)


@given(seeds, neighbours, st.floats(0.01, 100), st.floats(-10, 10))
def test_turning_shifting_and_scaling_change_nothing(seed: int, k: int, scale: float, shift: float) -> None:
    points, others = drawn(seed, 20, 5)
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    assert coverage(scale * points @ turn + shift, scale * others @ turn + shift, k) == coverage(points, others, k)


@given(seeds, neighbours)
def test_the_last_bits_of_float32_do_not_decide(seed: int, k: int) -> None:
    draw = np.random.default_rng(seed)
    points = draw.normal(size=(20, 50)).astype(np.float32)
    chosen = points[:3]
    nudged = np.nextafter(chosen, draw.choice([-10, 10], chosen.shape), dtype=np.float32)
    assert coverage(points, nudged, k) == coverage(points, chosen, k) > 3 / 20 - 1e-9


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    points, others = drawn(0, 50, 30)
    whole = coverage(points, others)
    assert 0 < whole < 1
    for entries in (1, 70, 333):
        monkeypatch.setattr(module, "ENTRIES", entries)
        assert coverage(points, others) == whole


def test_not_all_distances_are_held_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ENTRIES", 50_000)
    points, others = drawn(0, 1000, 1000)
    tracemalloc.start()
    coverage(points, others)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000  # bytes; a matrix of all would take 8,000,000


def test_one_far_point_does_not_blur_the_others() -> None:
    points = np.array([*np.linspace(0, 1e-6, 20), 1e6])[:, None]
    assert coverage(points, [[2e-6]], k=1) == naive(points, np.array([[2e-6]]), 1) == 1 / 21


@pytest.mark.parametrize(
    ("real", "synthetic", "k", "words"),
    [
        (np.zeros((5, 2)), np.zeros((1, 2)), 5, "more than k real points"),
        (np.zeros((5, 2)), np.zeros((1, 2)), 0, "k = 0"),
        (np.zeros((6, 2)), np.zeros((0, 2)), 5, "at least one synthetic point"),
        (np.zeros((6, 2)), np.zeros((1, 3)), 5, "2 dimensions, synthetic ones 3"),
        (np.zeros(6), np.zeros((1, 1)), 5, "shape"),
        (np.zeros((6, 1)), np.full((1, 1), np.nan), 5, "not a finite number"),
    ],
)
def test_what_has_no_coverage_is_refused(real: Floats, synthetic: Floats, k: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        coverage(real, synthetic, k)
