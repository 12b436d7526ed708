"""AutoAugment: pairs of operations that were found by a search, one pair per image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.transforms.auto_augment_policies import POLICIES, Step
from stillproof.transforms.draws import Draws
from stillproof.transforms.pixel_augmentation import PixelAugmentation
from stillproof.transforms.pixel_table import apply_each, strength

HIGHEST = 9  # levels go from 0 to 9


@augmentations.register(
    "auto-augment",
    version=1,
    paper="arXiv:1805.09501",
    names={
        "auto-augment-imagenet": {"policy": "imagenet"},
        "auto-augment-per-batch": {"per_batch": True},
        "auto-augment-imagenet-per-batch": {"policy": "imagenet", "per_batch": True},
    },
)
@dataclass(frozen=True)
class AutoAugment(PixelAugmentation):
    """One of 25 pairs of operations per image, each operation with its probability, level and sign.

    Args:
        per_batch: Whether all images of a batch get the same change, in 8 bits, as in DC-Bench.
        policy: The data set that the pairs were searched on.
    """

    policy: Literal["cifar10", "imagenet"] = "cifar10"

    def change(self, images: Tensor, draws: Draws) -> Tensor:
        """Return the changed batch."""
        pairs = POLICIES[self.policy]
        chosen = [pairs[number] for number in draws.integers(0, len(pairs)).tolist()]
        chances, signs = draws.uniform(2), 2 * draws.integers(0, 2, 2) - 1
        for place in range(2):
            drawn = zip(chosen, chances[:, place].tolist(), signs[:, place].tolist(), strict=True)
            steps = [_decide(pair[place], chance, sign, images) for pair, chance, sign in drawn]
            names, strengths = zip(*steps, strict=True)
            images = self.settled(apply_each(images, names, strengths, eight_bit=self.per_batch))
        return images


def _decide(step: Step, chance: float, sign: int, images: Tensor) -> tuple[str, float]:
    """Return the operation that one image gets, and its strength."""
    name, probability, level = step
    if chance >= probability:
        return "identity", 0.0
    return name, strength(name, level / HIGHEST, sign, images)
