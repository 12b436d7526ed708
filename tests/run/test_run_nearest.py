"""The nearest real image is found wherever an image was moved, and is that of a search through all of them."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.core.types import DataInfo, ImageSet
from stillproof.data.load import load
from stillproof.run.nearest import CANDIDATES, Nearest, RealImages, in_parts, reach

DIGITS = load("digits", "train", Path())
ASKED = load("digits", "test", Path()).read(slice(0, 40))


def natural(count: int, channels: int, size: int, seed: int = 0) -> ImageSet:
    """Images that are smooth on a small scale, as photographs are."""
    draw = torch.Generator().manual_seed(seed)
    coarse = torch.rand(count, channels, size // 4, size // 4, generator=draw)
    pixels = F.interpolate(coarse, (size, size), mode="bilinear") + 0.1 * torch.rand(
        count, channels, size, size, generator=draw
    )
    info = DataInfo("smooth", channels, size, 2, (0.5,) * channels, (0.2,) * channels, "")
    return ImageSet(pixels.clamp(0, 1).mul(255).byte(), torch.arange(count) % 2, info, "smooth")


def moved(images: Tensor, down: int, right: int) -> Tensor:
    edge = max(abs(down), abs(right))
    padded, size = F.pad(images, (edge,) * 4, mode="replicate"), images.shape[-1]
    return padded[:, :, edge - down : edge - down + size, edge - right : edge - right + size]


def naive(images: Tensor, data: ImageSet) -> tuple[Tensor, Tensor]:
    """Every shift of every image beside every real one."""
    edge, size = reach(data.info.size), data.info.size
    real = data.read(slice(None))[:, :, edge:-edge, edge:-edge].flatten(1)
    best = torch.full((len(images), len(data)), torch.inf)
    for version, down, right in product((images, images.flip(3)), range(2 * edge + 1), range(2 * edge + 1)):
        part = version[:, :, down : down + size - 2 * edge, right : right + size - 2 * edge].flatten(1)
        best = torch.minimum(best, torch.cdist(part, real) / part.shape[1] ** 0.5)
    return best.min(1).values, best.argmin(1)


def test_it_is_that_of_a_search_through_all_of_them() -> None:
    found = RealImages(DIGITS, "cpu").nearest(ASKED)
    distance, index = naive(ASKED, DIGITS)
    assert torch.allclose(found.distance, distance, atol=1e-5) and torch.equal(found.index, index)


@pytest.mark.parametrize(("channels", "size"), [(1, 8), (1, 28), (3, 32), (3, 64)])
def test_a_copy_is_found_wherever_it_was_moved_to(channels: int, size: int) -> None:
    data = natural(300, channels, size)
    real, edge = RealImages(data, "cpu"), reach(size)
    places = torch.arange(0, 300, 10)
    for down, right in {(0, 0), (edge, -edge), (1, 0), (-1, 1), (-edge, 1)}:
        for mirrored in (False, True):
            images = moved(data.read(places), down, right)
            found = real.nearest(images.flip(3) if mirrored else images)
            assert torch.equal(found.index, places) and float(found.distance.max()) < 1e-6
            assert (found.shift == torch.tensor([down, right])).all() and (found.mirrored == mirrored).all()


def test_an_image_does_not_find_what_is_left_out() -> None:
    real, places = RealImages(DIGITS, "cpu"), torch.arange(30)
    images = DIGITS.read(places)
    assert torch.equal(real.nearest(images).index, places)
    others = real.nearest(images, places)
    assert not bool((others.index == places).any())
    without = ImageSet(DIGITS.images[1:], DIGITS.labels[1:], DIGITS.info, "without")
    assert torch.isclose(others.distance[0], RealImages(without, "cpu").nearest(images[:1]).distance[0])


def test_values_outside_the_range_of_pixels_bring_no_image_nearer() -> None:
    found: list[Nearest] = [RealImages(DIGITS, "cpu").nearest(one) for one in (ASKED, ASKED + (ASKED == 1) * 3.0)]
    assert torch.equal(found[0].distance, found[1].distance)


def test_few_real_images_are_all_looked_at() -> None:
    few = ImageSet(DIGITS.images[: CANDIDATES - 3], DIGITS.labels[: CANDIDATES - 3], DIGITS.info, "few")
    found = RealImages(few, "cpu").nearest(ASKED)
    assert torch.allclose(found.distance, naive(ASKED, few)[0], atol=1e-5)


def test_parts_cover_all_images_once() -> None:
    parts = list(in_parts(natural(7, 3, 32)))
    assert [place for part in parts for place in range(7)[part]] == list(range(7))


@pytest.mark.parametrize(("size", "pixels"), [(8, 1), (28, 2), (32, 2), (64, 3), (224, 3)])
def test_larger_images_may_be_moved_further(size: int, pixels: int) -> None:
    assert reach(size) == pixels
