"""Copies of real images among those of a set: exact ones byte by byte, and near ones by distance."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.core.seeds import Seeds
from stillproof.core.types import ImageSet
from stillproof.run.nearest import RealImages, Seen, as_they_are, in_parts
from stillproof.score.nearness import copies_by_distance, nearness_limit

NONE = -1  # in place of the image that another one is a copy of
FEW = 200  # real training images that tell how near such images are to test images


@dataclass(frozen=True)
class CopiesOfTest:
    """The images of a set that are copies of test images, by their places in both.

    Args:
        exact: Those that are equal byte by byte to a test image that is no training image, too.
        near: Those that are nearer to a test image, moved by a few pixels or mirrored, than nearly all real images are,
            and clearly nearer than to any training image.
    """

    exact: dict[int, int]
    near: dict[int, int]


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


def copies_of_test(
    images: Tensor, train: ImageSet, test: ImageSet, device: str = "cpu", seen: Seen = as_they_are
) -> CopiesOfTest:
    """Return which images of a set are copies of test images, in a second for hundreds of images of CIFAR-10.

    Twins that a data set has in both of its splits do not count: what is made of the one in training is near to both.

    Args:
        images: Pixels (N, C, H, W), those that are trained on.
        train: The training images.
        test: The test images.
        device: Where to compute.
        seen: What becomes of real images before they are compared, where a set holds four in one.
    """
    in_test, in_train = exact_copies(images, test), exact_copies(images, train)
    exact = ((in_test != NONE) & (in_train == NONE)).nonzero().flatten().tolist()
    tests = RealImages(test, device, seen)
    to_test = tests.nearest(images)
    real = tests.nearest(seen(train.read(sample_of(train, FEW), device))).distance.numpy()
    # Training images are many, and only asked where a test image is near.
    near = (to_test.distance < nearness_limit(real)).nonzero().flatten()
    copies: list[int] = []
    if len(near):
        to_train = RealImages(train, device, seen).nearest(images[near])
        copied = copies_by_distance(to_test.distance[near].numpy(), to_train.distance.numpy(), real)
        copies = near[torch.from_numpy(copied)].tolist()
    return CopiesOfTest(
        {place: int(in_test[place]) for place in exact},
        {place: int(to_test.index[place]) for place in copies if place not in exact},
    )


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
