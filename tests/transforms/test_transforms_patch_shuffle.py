from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.transforms.draws import Draws
from stillproof.transforms.patch_shuffle import PatchShuffle, shuffle_patches


def rearranged(image: Tensor, columns: tuple[int, ...], rows: tuple[int, ...]) -> Tensor:
    """RDED's way: cut along the width and join in another order, then along the height; the last part is the rest."""
    for axis, order in ((2, columns), (1, rows)):
        step = image.shape[axis] // len(order)
        parts = list(image.split([step] * (len(order) - 1) + [image.shape[axis] - step * (len(order) - 1)], axis))  # type: ignore[no-untyped-call]
        image = torch.cat([parts[number] for number in order], axis)
    return image


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 3), st.integers(3, 9), st.integers(3, 9), st.integers(0, 2**31))
def test_columns_then_rows_of_patches_change_places(factor: int, height: int, width: int, seed: int) -> None:
    images = torch.rand(4, 2, height, width, generator=Seeds(9).torch())
    orders = list(permutations(range(factor)))
    for image, made in zip(images, shuffle_patches(images, factor, Draws(4, Seeds(seed).torch())), strict=True):
        assert any(torch.equal(rearranged(image, columns, rows), made) for columns in orders for rows in orders)


def test_every_order_comes_up_and_each_image_has_its_own() -> None:
    images = torch.arange(16.0).reshape(1, 1, 4, 4).repeat(200, 1, 1, 1)
    made = PatchShuffle(factor=2)(images, Seeds(0).torch())
    corners = Counter(made[:, 0, 0, 0].tolist())
    assert sorted(corners) == [0, 2, 8, 10] and min(corners.values()) > 25


def test_one_patch_stays_where_it_is() -> None:
    images = torch.rand(3, 1, 5, 5, generator=Seeds(0).torch())
    assert torch.equal(PatchShuffle(factor=1)(images, Seeds(0).torch()), images)


def test_no_patches_are_refused() -> None:
    with pytest.raises(BadInput, match="factor must be at least 1, not 0"):
        augmentations.build("patch-shuffle:factor=0")
