from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.data.source_split import check_division, chosen_sources, divided, roles_of

SHARES = (14, 5, 11)
LABELS = np.repeat(np.arange(4), [10, 12, 11, 30])


def test_shares_are_kept() -> None:
    assert divided(30, SHARES) == [14, 5, 11] and divided(6, SHARES) == [3, 1, 2] and divided(3, SHARES) == [1, 1, 1]


@given(st.integers(0, 5000), st.lists(st.integers(1, 50), min_size=1, max_size=5))
def test_a_division_loses_nothing_and_is_off_by_less_than_one(total: int, shares: list[int]) -> None:
    counts = divided(total, shares)
    assert sum(counts) == total
    assert all(abs(count - total * share / sum(shares)) < 1 for count, share in zip(counts, shares, strict=True))


@given(st.integers(1, 10), st.integers(0, 2**32))
def test_every_class_gives_as_many_sources_each_once(per_class: int, seed: int) -> None:
    chosen = chosen_sources(LABELS, per_class, Seeds(seed))
    assert (np.bincount(LABELS[chosen]) == per_class).all()
    assert len(set(chosen.tolist())) == len(chosen) and (np.diff(chosen) > 0).all()
    assert (chosen == chosen_sources(LABELS, per_class, Seeds(seed))).all()


@given(st.integers(0, 2**32))
def test_roles_are_divided_within_each_class(seed: int) -> None:
    labels = LABELS[chosen_sources(LABELS, 9, Seeds(seed))]
    roles = roles_of(labels, SHARES, Seeds(seed))
    for label in range(4):
        assert np.bincount(roles[labels == label], minlength=3).tolist() == divided(9, SHARES)
    assert (roles == roles_of(labels, SHARES, Seeds(seed))).all()


def test_seeds_decide() -> None:
    first, other = (chosen_sources(LABELS, 5, Seeds(seed)).tolist() for seed in (0, 1))
    assert first != other
    labels = LABELS[chosen_sources(LABELS, 9, Seeds(0))]
    assert roles_of(labels, SHARES, Seeds(0)).tolist() != roles_of(labels, SHARES, Seeds(1)).tolist()


@pytest.mark.parametrize(
    ("per_class", "shares", "said"),
    [
        (2, SHARES, "2 images per class cannot be divided as 14:5:11"),
        (4, (100, 1, 1), "4 images per class cannot be divided as 100:1:1"),
        (9, (1, 1), "give three shares"),
        (9, (1, 0, 1), "give three shares"),
    ],
)
def test_a_role_without_images_is_refused(per_class: int, shares: tuple[int, ...], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        check_division(per_class, shares)
