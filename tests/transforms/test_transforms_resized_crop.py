from __future__ import annotations

import math
import random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from stillproof.core.components import augmentations
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.transforms.draws import Draws
from stillproof.transforms.resized_crop import ResizedCrop, random_boxes


def box_of_torchvision(
    height: int, width: int, scale: tuple[float, float], ratio: float, rng: random.Random
) -> tuple[int, int, int, int]:
    """RandomResizedCrop.get_params of torchvision, one image at a time."""
    for _ in range(10):
        area = height * width * rng.uniform(*scale)
        aspect = math.exp(rng.uniform(-math.log(ratio), math.log(ratio)))
        wide, tall = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
        if 0 < wide <= width and 0 < tall <= height:
            return rng.randint(0, height - tall), rng.randint(0, width - wide), tall, wide
    if width / height < 1 / ratio:
        wide, tall = width, round(width * ratio)
    elif width / height > ratio:
        wide, tall = round(height * ratio), height
    else:
        wide, tall = width, height
    return (height - tall) // 2, (width - wide) // 2, tall, wide


@pytest.mark.parametrize(
    ("size", "scale", "ratio"),
    [
        ((32, 32), (0.08, 1.0), 4 / 3),
        ((32, 32), (0.5, 1.0), 4 / 3),
        ((20, 40), (0.3, 1.0), 1.0),
        ((8, 8), (0.08, 1.0), 1.0),
    ],
)
def test_boxes_are_distributed_as_those_of_torchvision(
    size: tuple[int, int], scale: tuple[float, float], ratio: float
) -> None:
    found = random_boxes(Draws(3000, Seeds(0).torch()), size, *scale, ratio).numpy()
    rng = random.Random(0)
    expected = [box_of_torchvision(*size, scale, ratio, rng) for _ in range(3000)]
    for axis in range(4):
        theirs = [box[axis] for box in expected]
        assert stats.ks_2samp(found[:, axis], theirs).pvalue > 1e-3, ("top", "left", "height", "width")[axis]


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(st.integers(1, 40), st.integers(1, 40)),
    st.floats(0.01, 1),
    st.floats(0.01, 1),
    st.floats(1, 4),
    st.integers(0, 2**31),
)
def test_boxes_lie_inside(size: tuple[int, int], one: float, other: float, ratio: float, seed: int) -> None:
    top, left, tall, wide = random_boxes(
        Draws(50, Seeds(seed).torch()), size, min(one, other), max(one, other), ratio
    ).unbind(1)
    assert (top >= 0).all() and (left >= 0).all() and (tall >= 1).all() and (wide >= 1).all()
    assert (top + tall <= size[0]).all() and (left + wide <= size[1]).all()


def test_the_whole_area_leaves_square_images_as_they_are() -> None:
    images = torch.rand(4, 3, 32, 32, generator=Seeds(0).torch())
    torch.testing.assert_close(ResizedCrop(min_scale=1.0)(images, Seeds(1).torch()), images)


def test_per_batch_is_one_box_for_all() -> None:
    images = (torch.rand(1, 1, 16, 16, generator=Seeds(0).torch()) * 255).round().div(255).repeat(5, 1, 1, 1)
    made = ResizedCrop(per_batch=True)(images, Seeds(1).torch())
    assert torch.equal(made, made[:1].expand_as(made)) and not torch.equal(made, images)


@pytest.mark.parametrize("wrong", ["min_scale=0", "min_scale=0.9:max_scale=0.5", "max_scale=2", "ratio=0.5"])
def test_boxes_that_do_not_exist_are_refused(wrong: str) -> None:
    with pytest.raises(BadInput, match="resized-crop"):
        augmentations.build(f"resized-crop:{wrong}")
