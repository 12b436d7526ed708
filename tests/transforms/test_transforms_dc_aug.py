"""The augmentation of DC's authors against what their description says, pixel by pixel."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy import ndimage
from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.transforms.dc_aug import DCAug, crop, rotate, scale

Array = NDArray[np.float32]


def pictures(count: int, channels: int, size: int) -> Tensor:
    return torch.randn(count, channels, size, size, generator=Seeds(9).torch())


def cropped(image: Tensor, fill: list[float], border: int, top: int, left: int) -> Tensor:
    """Every pixel by itself: inside the old image it is that one's, outside it is the fill."""
    channels, height, width = image.shape
    found = torch.empty_like(image)
    for c in range(channels):
        for row in range(height):
            for column in range(width):
                y, x = row + top - border, column + left - border
                inside = 0 <= y < height and 0 <= x < width
                found[c, row, column] = image[c, y, x] if inside else fill[c]
    return found


def scaled(image: Tensor, height: int, width: int) -> Tensor:
    """Every pixel by itself, through the canvas that both sizes lie in the middle of."""
    old_height, old_width = image.shape[1:]
    side = max(height, width, old_height, old_width)
    found = torch.zeros_like(image)
    for row in range(old_height):
        for column in range(old_width):
            y = row + (side - old_height) // 2 - (side - height) // 2
            x = column + (side - old_width) // 2 - (side - width) // 2
            if 0 <= y < height and 0 <= x < width:
                found[:, row, column] = image[:, y * old_height // height, x * old_width // width]
    return found


def rotated(image: Tensor, degrees: int, fill: float) -> Array:
    """Read a cubic spline at the turned place of every pixel of a larger canvas, then keep its middle."""
    angle, (height, width) = math.radians(degrees), image.shape[1:]
    cosine, sine = math.cos(angle), math.sin(angle)
    large = [round(abs(cosine) * a + abs(sine) * b) for a, b in ((height, width), (width, height))]
    rows, columns = np.meshgrid(*(np.arange(n) - (n - 1) / 2 for n in large), indexing="ij")
    places = (cosine * rows + sine * columns + (height - 1) / 2, -sine * rows + cosine * columns + (width - 1) / 2)
    turned = [ndimage.map_coordinates(plane, places, order=3, cval=fill) for plane in image.numpy()]
    top, left = (large[0] - height) // 2, (large[1] - width) // 2
    return np.stack(turned)[:, top : top + height, left : left + width]


@pytest.mark.parametrize(("channels", "size"), [(1, 28), (3, 32)])
def test_operations_are_those_of_the_description(channels: int, size: int) -> None:
    image, fill = pictures(1, channels, size)[0], torch.tensor([0.5, -0.25, 2.0][:channels])
    for top, left in ((0, 0), (7, 0), (4, 4), (3, 6)):
        assert torch.equal(crop(image, fill, 4, top, left), cropped(image, fill.tolist(), 4, top, left))
    for height, width in ((size, size), (size - 5, size + 4), (size + 5, size + 5), (size - 3, size - 4)):
        assert torch.equal(scale(image, height, width), scaled(image, height, width))
    for degrees in (-45, -17, 0, 8, 44):
        assert np.allclose(rotate(image, degrees, 0.75).numpy(), rotated(image, degrees, 0.75), atol=1e-4)


def test_one_operation_per_image_with_the_numbers_of_the_authors() -> None:
    images = pictures(300, 1, 28)
    fill = float(images.mean())
    changed = DCAug()(images.clone(), Seeds(1).torch())
    kinds = {"crop": 0, "scale": 0, "rotate": 0}
    sizes = range(int(0.8 * 28), int(1.2 * 28) + 1)
    for before, after in zip(images, changed, strict=True):
        kind = next(
            name
            for name, found in (
                ("crop", (crop(before, torch.tensor([fill]), 4, y, x) for y in range(8) for x in range(8))),
                ("scale", (scale(before, h, w) for h in sizes for w in sizes)),
                ("rotate", (rotate(before, degrees, fill) for degrees in range(-45, 45))),
            )
            if any(torch.allclose(after, one, atol=1e-5) for one in found)
        )
        kinds[kind] += 1
    assert sum(kinds.values()) == 300 and min(kinds.values()) > 60


def test_noise_is_small_and_of_every_value() -> None:
    images = pictures(64, 3, 32)
    added = DCAug(strategy="noise")(images, Seeds(2).torch()) - images
    assert float(added.std()) == pytest.approx(0.001, rel=0.02) and bool((added.std((1, 2, 3)) > 0).all())
    both = DCAug(strategy="crop_noise")(images, Seeds(2).torch()) - images
    noisy = (both.abs().amax((1, 2, 3)) < 0.01).float().mean()
    assert 0.3 < float(noisy) < 0.7


@pytest.mark.parametrize("setting", ["strategy=flip", "crop=0", "scale=1.5", "rotate=0", "noise=-1"])
def test_what_has_no_meaning_is_refused(setting: str) -> None:
    with pytest.raises(BadInput, match="dc-aug"):
        augmentations.build(f"dc-aug:{setting}")
