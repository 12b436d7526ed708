"""The operations against Pillow, which defines them, on 8-bit pictures; and what they do beyond [0, 1]."""

from __future__ import annotations

import colorsys
from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageEnhance, ImageOps
from torch import Tensor

from stillproof.core.seeds import Seeds
from stillproof.transforms import pixel_ops, pixel_warps
from stillproof.transforms.pixel_table import OPERATIONS, apply_each

LEVEL = 1 / 255
KINDS = ["noise", "dim", "smooth", "flat", "two-tone"]
seeds = st.integers(0, 2**31)


def picture(kind: str, channels: int = 3, height: int = 32, width: int = 32) -> Tensor:
    """Return an 8-bit picture (1, C, H, W) as floats."""
    generator = Seeds(0).child(kind).torch()
    levels = torch.randint(256, (1, channels, height, width), generator=generator)
    if kind == "dim":
        levels = levels // 4 + 60
    if kind == "smooth":
        ramp = torch.arange(height)[:, None] * 3 + torch.arange(width) * 4
        levels = (ramp + 20 * torch.arange(channels).view(-1, 1, 1))[None].clamp(max=255)
    if kind == "flat":
        levels = torch.full_like(levels, 77)
    if kind == "two-tone":
        levels = torch.where(levels > 180, 200, 31)
    return levels / 255


def to_pillow(image: Tensor) -> Image.Image:
    levels = (image[0] * 255).round().to(torch.uint8).permute(1, 2, 0).numpy()
    return Image.fromarray(levels.squeeze(2) if levels.shape[2] == 1 else levels)


def from_pillow(image: Image.Image) -> Tensor:
    levels = torch.from_numpy(np.array(image, dtype=np.float32)) / 255
    return levels[None, None] if levels.ndim == 2 else levels.permute(2, 0, 1)[None]


def one(value: float) -> Tensor:
    return torch.tensor([value])


def assert_close(found: Tensor, expected: Tensor, levels: float) -> None:
    torch.testing.assert_close(found, expected, rtol=0, atol=levels * LEVEL + 1e-6)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("strength", [-0.9, -0.27, 0.0, 0.5, 0.9])
@pytest.mark.parametrize(
    ("operation", "enhancer"),
    [
        (pixel_ops.adjust_brightness, ImageEnhance.Brightness),
        (pixel_ops.adjust_colour, ImageEnhance.Color),
        (pixel_ops.adjust_contrast, ImageEnhance.Contrast),
        (pixel_ops.adjust_sharpness, ImageEnhance.Sharpness),
    ],
    ids=["brightness", "colour", "contrast", "sharpness"],
)
def test_enhancements_are_those_of_pillow(
    operation: Callable[[Tensor, Tensor], Tensor],
    enhancer: Callable[[Image.Image], ImageEnhance._Enhance],
    strength: float,
    kind: str,
    channels: int,
) -> None:
    image = picture(kind, channels)
    expected = enhancer(to_pillow(image)).enhance(1 + strength)
    assert_close(operation(image, one(strength)), from_pillow(expected), 2)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_tables_of_levels_are_those_of_pillow(kind: str, channels: int) -> None:
    image, nothing = picture(kind, channels), one(0.0)
    plain = to_pillow(image)
    assert_close(pixel_ops.invert(image, nothing), from_pillow(ImageOps.invert(plain)), 0)
    assert_close(pixel_ops.equalize(image, nothing), from_pillow(ImageOps.equalize(plain)), 0)
    assert_close(pixel_ops.autocontrast(image, nothing), from_pillow(ImageOps.autocontrast(plain)), 1)
    for bits in (1, 4, 7, 8):
        assert_close(pixel_ops.posterize(image, one(bits)), from_pillow(ImageOps.posterize(plain, bits)), 0)
    for threshold in (0, 85, 128, 179, 255):
        assert_close(pixel_ops.solarize(image, one(threshold)), from_pillow(ImageOps.solarize(plain, threshold)), 0)


@pytest.mark.parametrize("shape", [(32, 32), (20, 31)])
@pytest.mark.parametrize("slope", [-0.3, 0.09, 0.3])
def test_shears_are_those_of_pillow(slope: float, shape: tuple[int, int]) -> None:
    image = picture("noise", 3, *shape)
    for operation, matrix in (
        (pixel_warps.shear_across, (1, slope, 0, 0, 1, 0)),
        (pixel_warps.shear_down, (1, 0, 0, slope, 1, 0)),
    ):
        expected = to_pillow(image).transform(shape[::-1], Image.Transform.AFFINE, matrix)
        assert differing(operation(image, one(slope)), from_pillow(expected)) < 0.01


@pytest.mark.parametrize("shape", [(32, 32), (20, 31)])
@pytest.mark.parametrize("degrees", [-30.0, -9.0, 3.3, 30.0, 77.0])
def test_turns_are_those_of_pillow(degrees: float, shape: tuple[int, int]) -> None:
    image = picture("noise", 3, *shape)
    expected = to_pillow(image).rotate(degrees)
    assert differing(pixel_warps.turn(image, one(degrees)), from_pillow(expected)) < 0.02


@pytest.mark.parametrize("distance", [-14.5, -4.35, 0.9, 3.0, 7.99, 40.0])
def test_moves_are_by_whole_pixels_onto_black(distance: float) -> None:
    image = picture("noise", 3, 20, 31)
    whole = int(distance)
    for operation, matrix in (
        (pixel_warps.move_right, (1, 0, -whole, 0, 1, 0)),
        (pixel_warps.move_down, (1, 0, 0, 0, 1, -whole)),
    ):
        expected = to_pillow(image).transform((31, 20), Image.Transform.AFFINE, matrix)
        assert_close(operation(image, one(distance)), from_pillow(expected), 0)


def differing(found: Tensor, expected: Tensor) -> float:
    """Return the share of pixels that differ: where two neighbours are equally near, rounding decides."""
    return ((found - expected).abs() > LEVEL / 2).any(1).float().mean().item()


@pytest.mark.parametrize("turn", [-0.5, -0.2, 0.0, 0.07, 0.2, 0.5])
def test_hue_is_moved_around_the_circle(turn: float) -> None:
    image = torch.cat([picture("noise", 3, 6, 6), picture("flat", 3, 6, 6), picture("smooth", 3, 6, 6)], dim=2)
    found = pixel_ops.shift_hue(image, one(turn))
    for place, (red, green, blue) in enumerate(image[0].flatten(1).T.tolist()):
        hue, saturation, value = colorsys.rgb_to_hsv(red, green, blue)
        expected = torch.tensor(colorsys.hsv_to_rgb((hue + turn) % 1, saturation, value))
        torch.testing.assert_close(found[0].flatten(1)[:, place], expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", sorted(OPERATIONS))
@settings(max_examples=8, deadline=None)
@given(seed=seeds)
def test_every_image_of_a_batch_is_changed_by_its_own_strength_alone(name: str, seed: int) -> None:
    generator = Seeds(seed).torch()
    images = torch.rand(4, 3, 17, 16, generator=generator)
    strengths = torch.randint(1, 9, (4,), generator=generator).float() / (1 if name == "posterize" else 10)
    together = OPERATIONS[name](images, strengths)
    alone = torch.cat([OPERATIONS[name](images[[i]], strengths[[i]]) for i in range(4)])
    torch.testing.assert_close(together, alone, rtol=0, atol=1e-5)
    assert together.shape == images.shape


CUT = ("posterize", "equalize")


@pytest.mark.parametrize("name", sorted(set(OPERATIONS) - set(CUT) - {"autocontrast", "invert"}))
def test_operations_of_no_strength_keep_values_outside_the_pixels(name: str) -> None:
    images = torch.randn(3, 3, 16, 16, generator=Seeds(1).torch()) * 2
    still = 600.0 if name == "solarize" else 0.0  # brighter than any of these
    images = images.clamp(-2, 2)
    torch.testing.assert_close(OPERATIONS[name](images, torch.full((3,), still)), images, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ["brightness", "colour", "contrast", "sharpness"])
def test_enhancements_stay_within_the_range_of_an_image_that_goes_beyond(name: str) -> None:
    images = torch.tensor([0.5, 3.0]).view(2, 1, 1, 1) * torch.randn(2, 3, 16, 16, generator=Seeds(2).torch())
    images[0].clamp_(0.2, 0.8)
    changed = OPERATIONS[name](images, torch.tensor([0.9, 0.9]))
    assert changed[0].min() >= 0 and changed[0].max() <= 1
    assert changed[1].min() >= images[1].min() and changed[1].max() <= images[1].max()
    assert changed[1].min() < -1 and changed[1].max() > 2


def test_inverting_twice_gives_back_any_value() -> None:
    images = torch.randn(2, 3, 8, 8, generator=Seeds(3).torch()) * 3
    twice = pixel_ops.invert(pixel_ops.invert(images, one(0)), one(0))
    torch.testing.assert_close(twice, images, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", CUT)
def test_operations_on_8_bits_read_values_outside_as_black_and_white(name: str) -> None:
    images = torch.randn(2, 3, 32, 32, generator=Seeds(4).torch()) * 2
    strength = torch.full((2,), 3.0)
    assert torch.equal(OPERATIONS[name](images, strength), OPERATIONS[name](images.clamp(0, 1), strength))


def test_rounding_noise_is_no_contrast_and_does_not_move_a_threshold() -> None:
    flat = torch.full((1, 3, 8, 8), 0.5) + 1e-6 * torch.randn(1, 3, 8, 8, generator=Seeds(5).torch())
    assert torch.equal(pixel_ops.autocontrast(flat, one(0)), flat)
    white = torch.full((1, 1, 4, 4), 1 - 1e-6)
    assert pixel_ops.solarize(white, one(255)).max() < 1e-5


def test_few_pixels_cannot_be_equalised() -> None:
    image = picture("noise", 1, 8, 8)
    assert torch.equal(pixel_ops.equalize(image, one(0)), image)


def test_every_image_gets_its_own_operation() -> None:
    images = torch.rand(4, 3, 16, 16, generator=Seeds(6).torch())
    names, strengths = ["invert", "brightness", "invert", "identity"], [0.0, -0.5, 0.0, 1.0]
    changed = apply_each(images, names, strengths)
    expected = torch.stack([1 - images[0], images[1] / 2, 1 - images[2], images[3]])
    torch.testing.assert_close(changed, expected)
