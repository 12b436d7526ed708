"""Test images among the images of a set that others made; what real sets have in common with them does not ring."""

from __future__ import annotations

import torch
from test_run_copies import TEST, TRAIN, cifar10, copies_of_test, exact_or_near_twins, noisy
from test_run_nearest import moved

from stillproof.core.types import ImageSet
from stillproof.run.copies import sample_of
from stillproof.run.leaked_images import Leak, find_leaked
from stillproof.run.nearest import RealImages
from stillproof.suites.fixed_set import EXACT, NEAR
from stillproof.testing.toy import toy_images


def test_all_test_images_are_found_and_no_training_image_is() -> None:
    exact, near = find_leaked(TEST.read(slice(None)), TRAIN, TEST)
    assert len(exact) == len(TEST) and not near and all(place == test for place, test in exact)
    assert find_leaked(TRAIN.read(slice(0, 300)), TRAIN, TEST) == ((), ())


def test_what_is_in_both_splits_is_no_test_image() -> None:
    images = torch.cat([TRAIN.images, TEST.images[:5]])
    train = ImageSet(images, torch.zeros(len(images)), TRAIN.info, "with five of them")
    exact, _ = find_leaked(TEST.read(slice(0, 8)), train, TEST)
    assert exact == ((5, 5), (6, 6), (7, 7))


def test_moved_mirrored_and_noisy_test_images_are_near() -> None:
    images = TRAIN.read(torch.arange(60)).clone()
    planted = TEST.read(torch.tensor([1, 3, 4]))
    images[10], images[20], images[30] = moved(planted[:1], 1, 0)[0], planted[1].flip(2), noisy(planted[2:], 0.03)[0]
    assert find_leaked(images, TRAIN, TEST) == ((), ((10, 1), (20, 3), (30, 4)))


def test_the_guard_and_the_audit_agree() -> None:
    images = noisy(torch.cat([TRAIN.read(slice(0, 40)), TEST.read(slice(0, 40))]), 0.04).clamp(0, 1)
    exact, near = find_leaked(images, TRAIN, TEST)
    audited = copies_of_test(images, TRAIN, TEST)
    assert not exact and not audited[0] and near == tuple(sorted(audited[1].items())) and len(near) > 20


def test_values_outside_the_range_of_pixels_do_not_hide_a_copy() -> None:
    images = TEST.read(slice(0, 3)).clone()
    images[images >= 1] = 7.0
    images[images <= 0] = -3.0
    assert find_leaked(images + 0.001, TRAIN, TEST)[0] == ((0, 0), (1, 1), (2, 2))


def test_noise_and_smooth_images_are_no_test_images() -> None:
    generator = torch.Generator().manual_seed(0)
    images = torch.rand(50, 1, 8, 8, generator=generator)
    smooth = torch.nn.functional.interpolate(torch.rand(50, 1, 3, 3, generator=generator), (8, 8), mode="bilinear")
    assert find_leaked(torch.cat([images, smooth]), TRAIN, TEST) == ((), ())


def test_a_fast_search_finds_what_a_thorough_one_does() -> None:
    data = toy_images()
    images = moved(data.read(slice(0, 6)), 1, -1)
    fast, thorough = (RealImages(data, "cpu").nearest(images, thorough=way) for way in (False, True))
    assert torch.equal(fast.index, thorough.index) and torch.equal(fast.shift, thorough.shift)
    assert torch.allclose(fast.distance, thorough.distance, atol=1e-6)


def test_names_and_sentences_say_what_was_found() -> None:
    assert (Leak().mark, Leak().caveat) == ("", "")
    exact, near = Leak(exact=((0, 3), (4, 5)), total=10), Leak(near=((0, 3),), total=10)
    assert exact.marked("mine") == exact.marked(exact.marked("mine")) == f"mine{EXACT}"
    assert near.marked("mine") == f"mine{NEAR}"
    assert "2 of its 10 images are test images" in exact.caveat and "1 of its 10 images" in near.caveat


def test_twins_of_cifar10_do_not_ring_and_planted_images_do() -> None:
    train, test = cifar10()
    twins = exact_or_near_twins(train, test)
    images = torch.cat([train.read(twins), noisy(train.read(twins), 0.03), train.read(sample_of(train, 100))])
    planted = test.read(torch.tensor([8, 9]))
    images[-2:] = torch.stack([planted[0].flip(2), noisy(moved(planted[1:], 1, -2), 0.03)[0]])
    last = len(images)
    assert find_leaked(images, train, test) == ((), ((last - 2, 8), (last - 1, 9)))
