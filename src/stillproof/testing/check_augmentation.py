"""The contract of an augmentation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.core.seeds import Seeds
from stillproof.testing.checks import CannotBeChecked, Result, global_generators_untouched, need, run_checks
from stillproof.testing.choices import TITLE, try_every_choice

TRIES = 8
ROUNDING = 1e-5  # a sum over an image may depend, in its last digit, on how many images are summed at once


def check_augmentation(name: str) -> list[Result]:
    """Run the contract."""
    return run_checks(
        "augmentation",
        name,
        {
            "keeps shape, type and finite values": lambda: _shapes(name),
            "its draws come from the generator alone": lambda: _seeded(name),
            "draws from no global generator": lambda: _no_global_draws(name),
            "every image has its own draws, or all have the same": lambda: _own_draws(name),
            "no image depends on the others of its batch": lambda: _apart(name),
            "pixels stay pixels": lambda: _pixels(name),
            "mixes labels as it mixes images": lambda: _mixes(name),
            TITLE: lambda: try_every_choice(augmentations, name, lambda choice: _changes(name, choice)),
        },
    )


def _images(channels: int, size: int) -> Tensor:
    return torch.randn(6, channels, size, size, generator=Seeds(0).child("images").torch())


def _shapes(name: str) -> None:
    augment = augmentations.build(name)
    for channels, size in ((1, 8), (1, 28), (3, 32)):
        images = _images(channels, size)
        for seed in range(TRIES):
            changed = augment(images.clone(), Seeds(seed).torch())
            need(changed.shape == images.shape, f"{tuple(images.shape)} became {tuple(changed.shape)}")
            need(changed.dtype == images.dtype, f"{images.dtype} became {changed.dtype}")
            need(bool(torch.isfinite(changed).all()), "it gives NaN or infinite values")


def _changes(name: str, choice: Mapping[str, Any]) -> None:
    augment = augmentations.build(name, choice)
    for seed in range(TRIES):
        augment(_images(3, 32), Seeds(seed).torch())


def _seeded(name: str) -> None:
    augment, images = augmentations.build(name), _images(3, 32)
    runs = [augment(images.clone(), Seeds(seed).torch()) for seed in range(TRIES)]
    again = [augment(images.clone(), Seeds(seed).torch()) for seed in range(TRIES)]
    need(all(torch.equal(a, b) for a, b in zip(runs, again, strict=True)), "one seed gives different changes")
    need(any(not torch.equal(runs[0], run) for run in runs), "all seeds give the same change")


def _no_global_draws(name: str) -> None:
    augment, images = augmentations.build(name), _images(3, 32)
    with global_generators_untouched():
        for seed in range(TRIES):
            augment(images.clone(), Seeds(seed).torch())


def _own_draws(name: str) -> None:
    augment: Any = augmentations.build(name)
    if hasattr(augment, "mix"):  # mixtures of equal images show nothing; their labels do
        runs = [augment.mix(_images(3, 32), torch.eye(6), Seeds(seed).torch())[1].amax(1) for seed in range(TRIES)]
        runs = [largest[largest < 1] for largest in runs]  # an image may be mixed with itself
    else:
        equal = _images(3, 32)[:1].repeat(6, 1, 1, 1)
        runs = [augment(equal.clone(), Seeds(seed).torch()) for seed in range(TRIES)]
    alike = all(torch.allclose(run, run[:1].expand_as(run), atol=ROUNDING) for run in runs if len(run))
    if getattr(augment, "per_batch", False):
        need(alike, "it changes the images of a batch in different ways, but says per_batch")
    else:
        need(not alike, "it changes all images of a batch alike; if that is meant, set per_batch")


def _apart(name: str) -> None:
    augment, images = augmentations.build(name), _images(3, 32)
    if hasattr(augment, "mix") or getattr(augment, "uses_batch", False):
        raise CannotBeChecked
    others = torch.cat([images[:1], 2 * images[1:].flip(0)])
    for seed in range(TRIES):
        first, second = (augment(batch.clone(), Seeds(seed).torch())[0] for batch in (images, others))
        need(torch.allclose(first, second, atol=ROUNDING), "an image changes when others in its batch do")


def _pixels(name: str) -> None:
    augment = augmentations.build(name)
    if not getattr(augment, "pixels", False):
        raise CannotBeChecked
    images = _images(3, 32).sigmoid()
    for seed in range(TRIES):
        changed = augment(images.clone(), Seeds(seed).torch())
        low, high = changed.min().item(), changed.max().item()
        need(low >= -ROUNDING and high <= 1 + ROUNDING, f"pixels in [0, 1] became {low:.3f} to {high:.3f}")


def _mixes(name: str) -> None:
    augment: Any = augmentations.build(name)
    if not hasattr(augment, "mix"):
        raise CannotBeChecked
    values = torch.arange(6.0)
    flat = values.view(6, 1, 1, 1).expand(6, 3, 32, 32)  # the mean of a mixture tells what it is made of
    for seed in range(TRIES):
        mixed, shares = augment.mix(flat.clone(), torch.eye(6), Seeds(seed).torch())
        need(shares.shape == (6, 6), f"targets (6, 6) became {tuple(shares.shape)}")
        need(torch.allclose(shares.sum(1), torch.ones(6)), "the shares of an image do not sum to 1")
        # Only where images are whole: a border that a crop leaves black belongs to no class.
        whole = augment.mix(torch.ones_like(flat), torch.eye(6), Seeds(seed).torch())[0].isclose(torch.ones(()))
        means = mixed.where(whole, 0).sum((1, 2, 3)) / whole.sum((1, 2, 3))
        need(torch.allclose(means, shares @ values, atol=1e-4), "labels and images are mixed differently")
        alone = augment(flat.clone(), Seeds(seed).torch())
        need(torch.equal(alone, mixed), "it mixes images differently when it is not given their labels")
