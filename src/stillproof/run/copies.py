"""Exact copies among images, byte by byte: of real ones, and of each other."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.core.seeds import Seeds
from stillproof.core.types import ImageSet
from stillproof.run.nearest import in_parts

NONE = -1  # in place of the image that another one is a copy of


def exact_copies(images: Tensor, data: ImageSet) -> Tensor:
    """Return for each image the place of the first real one that is equal to it as bytes, or ``NONE``.

    Args:
        images: Pixels (N, C, H, W); as bytes they are cut off at 0 and 1, and rounded.
        data: The real images.
    """
    places: dict[bytes, list[int]] = {}
    for place, image in enumerate(_bytes(images).numpy()):
        places.setdefault(image.tobytes(), []).append(place)
    found = torch.full((len(images),), NONE)
    for part in in_parts(data):
        for at, image in enumerate(_bytes(data.images[part]).numpy(), part.start):
            for place in places.pop(image.tobytes(), ()):
                found[place] = at
        if not places:
            break
    return found


def sample_of(data: ImageSet, most: int) -> Tensor:
    """Return the places of at most ``most`` images, the same each time."""
    return torch.randperm(len(data), generator=Seeds(0).child("audit", "reference").torch())[:most]


def twins_within(images: Tensor) -> Tensor:
    """Return for each image the place of an earlier one that is equal to it as bytes, or ``NONE``."""
    first: dict[bytes, int] = {}
    found = torch.full((len(images),), NONE)
    for place, image in enumerate(_bytes(images).numpy()):
        found[place] = first.setdefault(image.tobytes(), place)
    found[found == torch.arange(len(images))] = NONE
    return found


def _bytes(images: Tensor) -> Tensor:
    """Return images as bytes."""
    return images if images.dtype == torch.uint8 else images.clamp(0, 1).mul(255).round().to(torch.uint8)
