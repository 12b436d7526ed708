"""The plainest augmentation of small photographs: a crop out of the padded image, and a flip of every second one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.transforms import dsa_ops
from stillproof.transforms.draws import Draws


@augmentations.register("crop-flip", version=1)
@dataclass(frozen=True)
class CropFlip:
    """Moves every image by some pixels, with black where it leaves room, and mirrors every second one.

    Args:
        padding: Black pixels at each side, and so the largest shift; by default 4, but an eighth of the size where
            images are smaller than 32 pixels.
        flip: Whether images are mirrored; digits should not be.
    """

    padding: int | None = None
    flip: bool = True

    pixels: ClassVar[bool] = True  # black is zero there

    def __post_init__(self) -> None:
        """Refuse what is no padding."""
        if self.padding is not None and self.padding < 0:
            raise ValueError(f"padding must not be negative, not {self.padding}")

    def __call__(self, images: Tensor, generator: torch.Generator) -> Tensor:
        """Return the changed batch of pixels."""
        draws = Draws(len(images), generator)
        most = min(4, min(images.shape[2:]) // 8) if self.padding is None else self.padding
        down, right = draws.integers(-most, most + 1, 2).to(images.device).unbind(1)
        images = dsa_ops.shift(images, down, right)
        return dsa_ops.flip(images, (draws.uniform() < 0.5).to(images.device)) if self.flip else images
