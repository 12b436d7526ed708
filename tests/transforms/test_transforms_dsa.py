from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.transforms.dsa import DSA, OPERATIONS

SHAPES = [(1, 8, 8), (1, 28, 28), (3, 32, 32)]
seeds = st.integers(0, 2**31)


def generator(seed: int) -> torch.Generator:
    return Seeds(seed).torch()


def pictures(count: int, *shape: int) -> Tensor:
    return torch.randn(count, *shape, generator=generator(99))


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_shape_and_range_survive_every_operation(operation: str, shape: tuple[int, int, int]) -> None:
    images = pictures(5, *shape)
    dsa = DSA(strategy=operation)
    for changed in (dsa(images, generator(0)), dsa.siamese(images, generator(0))):
        assert changed.shape == images.shape and changed.dtype == images.dtype
        assert changed.isfinite().all()


@pytest.mark.parametrize("operation", OPERATIONS)
def test_evaluation_form_gives_every_image_its_own_draws(operation: str) -> None:
    images = pictures(1, 3, 32, 32).expand(32, -1, -1, -1)
    changed = DSA(strategy=operation)(images, generator(0))
    assert (changed != changed[:1]).any()


@pytest.mark.parametrize("operation", OPERATIONS)
@settings(max_examples=10, deadline=None)
@given(seed=seeds, count=st.integers(2, 6))
def test_siamese_form_does_not_depend_on_the_batch(operation: str, seed: int, count: int) -> None:
    dsa = DSA(strategy=operation)
    images = pictures(count, 3, 16, 16)
    together = dsa.siamese(images, generator(seed))
    alone = torch.cat([dsa.siamese(image[None], generator(seed)) for image in images])
    torch.testing.assert_close(together, alone, rtol=0, atol=1e-6)


@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_equal_seeds_give_equal_batches_and_equal_ends_of_the_stream(seed: int) -> None:
    real, synthetic = generator(seed), generator(seed)
    images = pictures(4, 3, 8, 8)
    assert torch.equal(DSA().siamese(images, real)[:2], DSA().siamese(images[:2], synthetic))
    assert torch.equal(real.get_state(), synthetic.get_state())
    assert torch.equal(DSA()(images, generator(seed)), DSA()(images, generator(seed)))


def test_one_image_is_changed_alike_in_both_forms() -> None:
    images = pictures(1, 3, 16, 16)
    for seed in range(12):
        assert torch.equal(DSA()(images, generator(seed)), DSA().siamese(images, generator(seed)))


def test_every_operation_is_chosen_about_equally_often() -> None:
    # Each operation leaves its own trace on an image of ones with a dark left half.
    images = torch.ones(1, 3, 32, 32)
    images[..., :16] = 0.5
    untouched = sum(torch.equal(DSA(prob_flip=0.0).siamese(images, generator(s)), images) for s in range(600))
    assert 60 <= untouched <= 150  # flip alone, a sixth of 600, and the few crops by nothing


def test_the_global_generator_is_left_alone() -> None:
    before = torch.get_rng_state()
    for seed in range(12):
        DSA()(pictures(2, 3, 8, 8), generator(seed))
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_gradients_reach_the_images(operation: str) -> None:
    dsa = DSA(strategy=operation)
    for form in (dsa, dsa.siamese):
        images = pictures(4, 3, 8, 8).requires_grad_()
        weights = pictures(4, 3, 8, 8) + 2
        changed = form(images, generator(3))
        (gradient,) = torch.autograd.grad((changed * weights).sum(), images)
        assert gradient.isfinite().all() and gradient.flatten(1).abs().sum(1).min() > 0


def coordinates(size: int) -> Tensor:
    rows, columns = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    return torch.stack([rows + 1.0, columns + 1.0])[None]


@pytest.mark.parametrize(("size", "bound"), [(8, 1), (28, 4), (32, 4), (64, 8)])
def test_crop_shifts_by_an_eighth_at_most_and_pads_with_zeros(size: int, bound: int) -> None:
    image = coordinates(size)
    centre = size // 2
    found = set()
    for seed in range(150):
        (shifted,) = DSA(strategy="crop").siamese(image, generator(seed))
        down, right = (int(shifted[axis, centre, centre]) - 1 - centre for axis in range(2))
        found |= {down, right}
        padded = torch.nn.functional.pad(image, (bound,) * 4)[0]
        expected = padded[:, bound + down : bound + down + size, bound + right : bound + right + size]
        assert torch.equal(shifted, expected)
    assert found == set(range(-bound, bound + 1))


@pytest.mark.parametrize(("size", "side"), [(8, 4), (28, 14), (32, 16), (9, 5)])
def test_cutout_takes_half_of_each_side_clipped_at_the_border(size: int, side: int) -> None:
    heights = set()
    for seed in range(200):
        (kept,) = DSA(strategy="cutout").siamese(torch.ones(1, 1, size, size), generator(seed))[:, 0]
        rows, columns = (kept == 0).any(1), (kept == 0).any(0)
        assert torch.equal(kept == 0, rows[:, None] & columns)
        for line in (rows, columns):
            where = line.nonzero().flatten()
            assert where.numel() == where[-1] - where[0] + 1, "the square has no gaps"
            assert where.numel() == side or where[0] == 0 or where[-1] == size - 1
        heights.add(int(rows.sum()))
    assert max(heights) == side
    assert min(heights) == (side + 1) // 2


def test_flip_mirrors_left_and_right() -> None:
    images = pictures(2, 3, 8, 8)
    assert torch.equal(DSA(strategy="flip", prob_flip=1.0)(images, generator(0)), images.flip(3))
    assert torch.equal(DSA(strategy="flip", prob_flip=0.0)(images, generator(0)), images)
    flipped = DSA(strategy="flip")(images[:1].expand(1000, -1, -1, -1), generator(0))
    share = (flipped == images[:1]).flatten(1).all(1).float().mean().item()
    assert share == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize(
    "still",
    [
        DSA(strategy="crop", ratio_crop_pad=0.0),
        DSA(strategy="cutout", ratio_cutout=0.0),
        DSA(strategy="scale", ratio_scale=1.0),
        DSA(strategy="rotate", ratio_rotate=0.0),
    ],
)
@pytest.mark.parametrize("shape", SHAPES)
def test_operations_of_no_strength_change_nothing(still: DSA, shape: tuple[int, int, int]) -> None:
    images = pictures(3, *shape)
    torch.testing.assert_close(still(images, generator(0)), images, rtol=0, atol=1e-5)


def test_colour_is_brightness_then_saturation_then_contrast() -> None:
    images = pictures(2, 3, 8, 8)
    draws = generator(5)
    torch.randint(1, (), generator=draws)
    first, second, third = (torch.rand(2, generator=draws).view(2, 1, 1, 1) for _ in range(3))
    expected = images + (first - 0.5) * 1.0
    grey = expected.mean(1, keepdim=True)
    expected = (expected - grey) * (second * 2.0) + grey
    mean = expected.mean((1, 2, 3), keepdim=True)
    expected = (expected - mean) * (third + 0.5) + mean
    torch.testing.assert_close(DSA(strategy="color")(images, generator(5)), expected)


@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_scale_keeps_the_centre_and_stays_within_its_ratio(seed: int) -> None:
    size = 32
    (scaled,) = DSA(strategy="scale").siamese(coordinates(size) - (size + 1) / 2, generator(seed))
    for axis in range(2):
        step = (scaled[axis, 17, 17] - scaled[axis, 14, 14]).item() / 3  # in the middle nothing of the border is seen
        assert 1 / 1.2 - 1e-4 <= step <= 1.2 + 1e-4
        assert (scaled[axis, 15, 15] + scaled[axis, 16, 16]).abs().item() < 1e-4


@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_rotation_stays_within_15_degrees(seed: int) -> None:
    size = 32
    (turned,) = DSA(strategy="rotate").siamese(coordinates(size) - (size + 1) / 2, generator(seed))
    along = (turned[:, 16, 20] - turned[:, 16, 12]) / 8  # where a step to the right leads: (down, right)
    assert along.norm().item() == pytest.approx(1, abs=1e-4)
    assert abs(math.degrees(math.atan2(along[0].item(), along[1].item()))) <= 15 + 1e-3


def test_saturation_leaves_one_channel_images_alone() -> None:
    images = pictures(2, 1, 8, 8)
    still = DSA(strategy="color", brightness=0.0, contrast=0.5)
    other = DSA(strategy="color", brightness=0.0, contrast=0.5, saturation=9.0)
    torch.testing.assert_close(still(images, generator(1)), other(images, generator(1)))


def test_dsa_is_registered_and_bad_strategies_are_refused() -> None:
    assert augmentations.build("dsa") == DSA()
    assert augmentations.build("dsa:strategy=flip_crop:ratio_rotate=5") == DSA(strategy="flip_crop", ratio_rotate=5.0)
    for reference, word in (("dsa:strategy=flip_colour", "colour"), ("dsa:ratio_scale=0.5", "ratio_scale")):
        with pytest.raises(BadInput, match=word):
            augmentations.build(reference)
