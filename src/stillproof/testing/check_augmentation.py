"""The contract of an augmentation."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.core.seeds import Seeds
from stillproof.testing.checks import Result, global_generators_untouched, need, run_checks

TRIES = 8


def check_augmentation(name: str) -> list[Result]:
    """Run the contract."""
    return run_checks(
        "augmentation",
        name,
        {
            "keeps shape, type and finite values": lambda: _shapes(name),
            "its draws come from the generator alone": lambda: _seeded(name),
            "draws from no global generator": lambda: _no_global_draws(name),
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
