from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from stillproof.score import copies_by_distance, leaning, nearness_limit

distances = st.lists(st.floats(0, 10), min_size=1, max_size=40)


@given(distances)
def test_at_most_one_in_twenty_real_images_is_nearer_than_the_limit(reference: list[float]) -> None:
    limit = nearness_limit(reference)
    assert sum(one < limit for one in reference) <= 0.05 * len(reference)
    assert min(reference) <= limit <= max(reference)


def test_a_copy_is_near_and_clearly_nearer_than_to_anything_else() -> None:
    reference = np.linspace(10, 50, 101)  # the lowest twentieth of which ends at 12
    to_test = [0.0, 5.0, 5.0, 5.0, 13.0, 0.0]
    to_train = [30.0, 30.0, 7.0, 5.0, 50.0, 0.0]
    found = copies_by_distance(to_test, to_train, reference)
    # Then: not clearly nearer, a twin's copy, not near, equal to both.
    assert found.tolist() == [True, True, False, False, False, False]


def test_distances_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(ValueError, match="not those of the same images"):
        copies_by_distance([1.0], [1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="none is nearer"):
        copies_by_distance([1.0], [1.0], [])


def test_a_leaning_is_the_chance_of_as_many_by_as_many_coins() -> None:
    expected = [True, False, False, False]
    found = leaning(range(10), [True] * 6 + [False] * 4, expected)
    assert (found.count, found.total, found.expected) == (6, 10, 0.25)
    assert found.p == pytest.approx(binom.sf(5, 10, 0.25))


def test_images_that_share_their_nearest_one_count_once() -> None:
    # Blurred images all lie near the same blurred real one: that says nothing about the rest.
    found = leaning([7] * 50 + [1, 2, 3], [True] * 50 + [False] * 3, [True, False, False, False])
    assert (found.count, found.total) == (1, 4) and found.p > 0.5


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.lists(st.booleans(), min_size=1, max_size=30))
def test_its_chance_is_one(towards: list[bool], expected: list[bool]) -> None:
    found = leaning(range(len(towards)), towards, expected)
    assert 0 <= found.p <= 1 and (found.count > 0 or found.p == 1)


def test_without_images_there_is_no_leaning() -> None:
    with pytest.raises(ValueError, match="needs a nearest image"):
        leaning([], [], [True])
