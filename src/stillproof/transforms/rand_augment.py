"""RandAugment: a few operations of one strength, drawn anew for every image."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.transforms.draws import Draws
from stillproof.transforms.pixel_augmentation import PixelAugmentation
from stillproof.transforms.pixel_table import OPERATIONS, apply_each, strength

CHOICES = tuple(name for name in OPERATIONS if name not in ("invert", "hue"))


@augmentations.register(
    "rand-augment",
    version=1,
    paper="arXiv:1909.13719",
    names={"rand-augment-per-batch": {"per_batch": True}},
)
@dataclass(frozen=True)
class RandAugment(PixelAugmentation):
    """A number of operations per image, one after another, each drawn from the same 14 and with its own sign.

    Args:
        per_batch: Whether all images of a batch get the same change, in 8 bits, as in DC-Bench.
        num_ops: Operations per image.
        magnitude: Level of every operation, from 0.
        bins: Number of levels.
    """

    num_ops: int = 1
    magnitude: int = 9
    bins: int = 31

    def __post_init__(self) -> None:
        """Refuse levels that do not exist."""
        if self.num_ops < 1 or self.bins < 2:
            raise ValueError(f"num_ops {self.num_ops} must be at least 1, and bins {self.bins} at least 2")
        if not 0 <= self.magnitude < self.bins:
            raise ValueError(f"magnitude must be at least 0 and below bins {self.bins}, not {self.magnitude}")

    def change(self, images: Tensor, draws: Draws) -> Tensor:
        """Return the changed batch."""
        share = self.magnitude / (self.bins - 1)
        for _ in range(self.num_ops):
            operations = [CHOICES[choice] for choice in draws.integers(0, len(CHOICES)).tolist()]
            signs = (2 * draws.integers(0, 2) - 1).tolist()
            strengths = [strength(name, share, sign, images) for name, sign in zip(operations, signs, strict=True)]
            images = self.settled(apply_each(images, operations, strengths, eight_bit=self.per_batch))
        return images
