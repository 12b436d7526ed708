"""Which image each recorded label belongs to, where the recording kept the seed of its order and not the order."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor

from stillproof.core.errors import BadInput

# torch's random sampler draws two permutations per pass, the second for a remainder that is never there; old versions
# of torch draw one.
DRAWS = (2, 1)
SURE = 4.0  # standard deviations that the agreement must be above chance


def find_order(logits: Tensor, classes: Tensor, seed: int, folder: Path) -> tuple[Tensor, str]:
    """Return the order (E, N) of the images in every pass, and one sentence that says how far it can be trusted.

    A wrong order pairs images with other images' labels, so that the teacher's first choice is the image's class only
    by chance: that decides between the two ways in which torch has drawn, and whether the seed is the right one.

    Args:
        logits: (E, N, classes), in the order of the recording.
        classes: (N,), in the order of the sorted picture files.
        seed: The seed of the recording's sampler.
        folder: Where the recording is, for messages.

    Raises:
        BadInput: No order agrees with the classes better than chance.
    """
    chosen = logits.argmax(2)
    orders = [draw_order(len(classes), len(logits), seed, draws) for draws in DRAWS]
    agreed = [float((classes[order] == chosen).float().mean()) for order in orders]
    best = agreed.index(max(agreed))
    by_chance = _by_chance(chosen, classes, logits.shape[2])
    spread = (by_chance * (1 - by_chance) / chosen.numel()) ** 0.5
    if agreed[best] - by_chance <= SURE * spread:
        raise BadInput(
            f"the labels of {folder} do not fit the pictures in the order that seed {seed} gives ({agreed[best]:.0%} "
            f"agree, {by_chance:.0%} by chance): give the seed that they were recorded with, or the pictures that they "
            "belong to."
        )
    return orders[best], (
        f"the order of the images is not recorded; drawn from seed {seed}, the teacher's first choice is the image's "
        f"class for {agreed[best]:.0%} of the labels ({by_chance:.0%} by chance)"
    )


def draw_order(images: int, epochs: int, seed: int, draws: int) -> Tensor:
    """Return (epochs, images): the first of every ``draws`` permutations from one generator."""
    generator = torch.Generator().manual_seed(seed)
    order = torch.empty(epochs, images, dtype=torch.int64)
    for epoch in range(epochs):
        order[epoch] = torch.randperm(images, generator=generator)
        for _ in range(draws - 1):
            torch.randperm(images, generator=generator)
    return order


def _by_chance(chosen: Tensor, classes: Tensor, num_classes: int) -> float:
    share = [values.flatten().bincount(minlength=num_classes) / values.numel() for values in (chosen, classes)]
    return float(share[0] @ share[1])
