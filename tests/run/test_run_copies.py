"""Copies of test images are found; twins that a data set has in both splits of its own are none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch
from test_run_nearest import moved
from torch import Tensor

from stillproof.core.errors import DataMissing
from stillproof.core.types import ImageSet
from stillproof.data.load import load
from stillproof.report.audit.findings import Findings
from stillproof.run.copies import NONE, exact_copies, sample_of, twins_within
from stillproof.run.nearest import RealImages

TRAIN, TEST = (load("digits", split, Path()) for split in ("train", "test"))


Copies = tuple[dict[int, int], dict[int, int]]  # exact and near ones: images, and the test images that they copy


def copies_of_test(images: Tensor, train: ImageSet, test: ImageSet) -> Copies:
    """What an audit finds in pixels alone, without a network that looks at features."""
    sample = sample_of(train, 200)
    arrays = {"labels": torch.zeros(len(images))}
    for name, data, left_out in (("train", train, sample), ("test", test, None)):
        searched = RealImages(data, "cpu")
        near, real = searched.nearest(images), searched.nearest(train.read(sample), left_out)
        found = {"exact": exact_copies(images, data), "index": near.index, "distance": near.distance}
        arrays |= {f"{name}.{key}": value for key, value in (found | {"reference": real.distance}).items()}
    said = Findings({key: value.numpy() for key, value in arrays.items()}, len(images))
    exact, near_ones = ({int(place) for place in flags.nonzero()[0]} for flags in (said.exact_test, said.near_test))
    return (
        {place: int(arrays["test.exact"][place]) for place in exact},
        {place: int(arrays["test.index"][place]) for place in near_ones},
    )


def noisy(images: Tensor, size: float) -> Tensor:
    return images + size * torch.randn(images.shape, generator=torch.Generator().manual_seed(0))


def test_copies_are_equal_as_bytes() -> None:
    images = TRAIN.read(torch.tensor([5, 5, 7]))
    images[2, 0, 0, 0] += 0.01
    assert exact_copies(images, TRAIN).tolist() == [5, 5, NONE]
    assert exact_copies(images + 0.001, TRAIN).tolist() == [5, 5, NONE], "what rounding brings back counts"
    assert exact_copies(images, TEST).tolist() == [NONE] * 3
    assert twins_within(images[[0, 2, 1, 0]]).tolist() == [NONE, NONE, 0, 0]


def test_planted_test_images_are_found_and_named() -> None:
    images = TRAIN.read(torch.arange(60))
    planted = TEST.read(torch.tensor([1, 2, 3, 4, 5]))
    images[10], images[20] = planted[0], moved(planted[1:2], 1, 0)[0]
    images[30], images[40] = planted[2].flip(2), noisy(planted[3:4], 0.03)[0]
    images[50] = noisy(moved(planted[4:5], -1, 1).flip(3), 0.02)[0]
    found = copies_of_test(images, TRAIN, TEST)
    assert found == ({10: 1}, {20: 2, 30: 3, 40: 4, 50: 5})


def test_all_test_images_are_copies_and_no_training_image_is() -> None:
    assert copies_of_test(TRAIN.read(slice(None)), TRAIN, TEST) == ({}, {})
    exact, near = copies_of_test(TEST.read(slice(None)), TRAIN, TEST)
    assert sorted(exact) == list(range(len(TEST))) and near == {}


def test_a_twin_in_both_splits_is_no_copy_of_a_test_image() -> None:
    test = ImageSet(TEST.images.clone(), TEST.labels, TEST.info, "with twins")
    test.images[0], test.images[1] = TRAIN.images[0], moved(TRAIN.images[1:2].float(), 0, 1).byte()[0]
    images = torch.cat([TRAIN.read(slice(0, 40)), noisy(TRAIN.read(slice(0, 2)), 0.02)])
    assert copies_of_test(images, TRAIN, test) == ({}, {})
    exact = exact_copies(images, test)
    assert int(exact[0]) == 0, "it is one of the test images, too"


def test_the_sample_of_real_images_is_always_the_same() -> None:
    assert torch.equal(sample_of(TRAIN, 100)[:50], sample_of(TRAIN, 50))
    assert sorted(sample_of(TRAIN, 10**6).tolist()) == list(range(len(TRAIN)))


def cifar10() -> tuple[ImageSet, ImageSet]:
    if "STILLPROOF_DATA" not in os.environ:
        pytest.skip("STILLPROOF_DATA names no folder with real data")
    root = Path(os.environ["STILLPROOF_DATA"])
    try:
        return load("cifar10", "train", root), load("cifar10", "test", root)
    except DataMissing as error:
        pytest.skip(str(error))


def test_twins_of_cifar10_do_not_ring_and_planted_images_do() -> None:
    train, test = cifar10()
    # Training images that have a twin among the test images: among two thousand there are a dozen.
    twins = exact_or_near_twins(train, test)
    assert len(twins) > 3
    images = torch.cat([train.read(twins), noisy(train.read(twins), 0.03), train.read(sample_of(train, 100))])
    planted = test.read(torch.tensor([8, 9, 10]))
    images[-3:] = torch.stack([planted[0], planted[1].flip(2), noisy(moved(planted[2:], 1, -2), 0.03)[0]])
    found = copies_of_test(images, train, test)
    last = len(images)
    assert found == ({last - 3: 8}, {last - 2: 9, last - 1: 10})


def exact_or_near_twins(train: ImageSet, test: ImageSet) -> Tensor:
    """Some training images that would be copies of test images, if they were not training images themselves."""
    places = sample_of(train, 1000)
    to_test = RealImages(test, "cpu").nearest(train.read(places)).distance
    places = places[to_test.argsort()[:60]]  # the others are no twins, and take long
    left = torch.ones(len(train), dtype=torch.bool)
    left[places] = False
    others = ImageSet(train.images[left], train.labels[left], train.info, "others")
    exact, near = copies_of_test(train.read(places), others, test)
    return places[torch.tensor(sorted({*exact, *near}))]
