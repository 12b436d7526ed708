"""What augmentations of pixels have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from stillproof.transforms.draws import Draws


@dataclass(frozen=True)
class PixelAugmentation:
    """Base of augmentations that are defined on [0, 1] pixels; a subclass says how it changes a batch.

    Training takes the images out of the space that the network's body sees, and back into it afterwards. Pixels of
    synthetic images may lie outside [0, 1], where they stay unless an operation has no meaning there (see
    ``stillproof.transforms.pixel_ops``).

    Args:
        per_batch: Whether all images of a batch get the same change, of pixels that are cut to [0, 1] and to 8 bits
            before it and after each of its operations: the way of DC-Bench, which handed whole batches of whole numbers
            to torchvision.
    """

    per_batch: bool = False
    pixels: ClassVar[bool] = True

    def __call__(self, images: Tensor, generator: torch.Generator) -> Tensor:
        """Return the changed batch of pixels."""
        draws = Draws(len(images), generator, shared=self.per_batch)
        return self.settled(self.change(self.settled(images), draws))

    def settled(self, images: Tensor) -> Tensor:
        """Return the pixels as the next operation sees them."""
        return to_eight_bits(images) if self.per_batch else images

    def change(self, images: Tensor, draws: Draws) -> Tensor:
        """Return the changed batch; everything random in it comes from ``draws``.

        Between two operations, images are to be ``settled``.
        """
        raise NotImplementedError


def to_eight_bits(images: Tensor) -> Tensor:
    """Clamp to [0, 1] and cut down to whole 255ths."""
    # A thousandth of a level: what has been through a normalisation and back must not fall below its own level.
    return (images.clamp(0, 1) * 255 + 1e-3).floor() / 255
