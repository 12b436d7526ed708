"""Augmentations that do several things in order: as the papers' own code does them."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.transforms.crop_flip import CropFlip, padded_crop, random_flip
from stillproof.transforms.crop_resize import crop_resize
from stillproof.transforms.cutmix import CutMix
from stillproof.transforms.draws import Draws
from stillproof.transforms.mixup import Mixup
from stillproof.transforms.patch_shuffle import shuffle_patches
from stillproof.transforms.rded_aug import RDEDAug
from stillproof.transforms.resized_crop import random_boxes
from stillproof.transforms.sre2l_aug import SRe2LAug


def pictures(count: int = 6, size: int = 16) -> Tensor:
    return torch.rand(count, 3, size, size, generator=Seeds(1).torch())


def test_rded_shuffles_cuts_flips_and_covers() -> None:
    generator = Seeds(0).torch()
    draws = Draws(6, generator)
    images = shuffle_patches(pictures(), 2, draws)
    images = random_flip(crop_resize(images, random_boxes(draws, (16, 16), 0.5)), draws)
    expected, shares = CutMix(per_batch=True).mix(images, torch.eye(6), generator)
    found = RDEDAug(factor=2).mix(pictures(), torch.eye(6), Seeds(0).torch())
    assert torch.equal(found[0], expected) and torch.equal(found[1], shares)
    assert torch.equal(RDEDAug(factor=2)(pictures(), Seeds(0).torch()), expected)


def test_without_patches_rded_leaves_all_but_the_covered_part_whole() -> None:
    images = pictures()
    made = RDEDAug(flip=False)(images, Seeds(3).torch())
    own = (made - images).abs().amax(1) < 1e-6
    covered = [~one for one in own if not one.all()]  # an image may be covered by itself
    assert len(covered) > 1 and not covered[0].all()
    assert all(torch.equal(covered[0], other) for other in covered), "one place for the whole batch"


def test_sre2l_crops_flips_and_adds() -> None:
    generator = Seeds(0).torch()
    draws = Draws(6, generator)
    images = random_flip(padded_crop(pictures(), None, draws), draws)
    expected, shares = Mixup(0.8, per_batch=True).mix(images, torch.eye(6), generator)
    found = SRe2LAug().mix(pictures(), torch.eye(6), Seeds(0).torch())
    assert torch.equal(found[0], expected) and torch.equal(found[1], shares)


@pytest.mark.parametrize(("size", "most"), [(8, 1), (16, 2), (32, 4), (64, 4)])
def test_a_crop_shifts_by_an_eighth_but_no_more_than_four_pixels(size: int, most: int) -> None:
    dots = torch.zeros(400, 1, size, size)
    dots[:, :, size // 2, size // 2] = 1.0
    places = CropFlip(flip=False)(dots, Seeds(0).torch()).flatten(1).argmax(1)
    for shifts in (places // size - size // 2, places % size - size // 2):
        assert (int(shifts.min()), int(shifts.max())) == (-most, most)


@pytest.mark.parametrize(
    "wrong", ["rded-aug:factor=0", "rded-aug:min_scale=2", "sre2l-aug:alpha=0", "crop-flip:padding=-1"]
)
def test_what_changes_nothing_is_refused(wrong: str) -> None:
    with pytest.raises(BadInput, match=wrong.partition(":")[0]):
        augmentations.build(wrong)
