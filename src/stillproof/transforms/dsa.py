"""DSA, differentiable Siamese augmentation: one random kind of change per batch, with gradients to the images."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.core.dsa_strategy import WITH_FLIP
from stillproof.transforms import dsa_ops
from stillproof.transforms.draws import Draws

OPERATIONS = ("color", "crop", "cutout", "flip", "scale", "rotate")


@augmentations.register("dsa", version=1, paper="arXiv:2102.08259")
@dataclass(frozen=True)
class DSA:
    """One operation of the strategy per batch, chosen uniformly; it acts in the space that the network's body sees.

    Args:
        strategy: Operations to choose from, joined by underscores.
        prob_flip: Probability of a horizontal flip.
        ratio_scale: Largest scale of an axis, and the inverse of the smallest.
        ratio_rotate: Largest angle, in degrees.
        ratio_crop_pad: Largest shift, as a share of the size.
        ratio_cutout: Side of the square that is cut out, as a share of the size.
        brightness: Width of the range of offsets.
        saturation: Largest factor of a pixel's distance from its mean over channels.
        contrast: Smallest factor of a pixel's distance from the image's mean; the largest is 1 more.
    """

    strategy: str = WITH_FLIP
    prob_flip: float = 0.5
    ratio_scale: float = 1.2
    ratio_rotate: float = 15.0
    ratio_crop_pad: float = 0.125
    ratio_cutout: float = 0.5
    brightness: float = 1.0
    saturation: float = 2.0
    contrast: float = 0.5

    def __post_init__(self) -> None:
        """Refuse operations that do not exist and ratios that have no meaning."""
        for operation in self.strategy.split("_"):
            if operation not in OPERATIONS:
                raise ValueError(f"strategy holds {operation!r}, which is none of {', '.join(OPERATIONS)}")
        if self.ratio_scale < 1:
            raise ValueError(f"ratio_scale must be at least 1, not {self.ratio_scale}")
        if self.ratio_crop_pad < 0 or self.ratio_cutout < 0:
            raise ValueError(
                f"ratio_crop_pad {self.ratio_crop_pad} and ratio_cutout {self.ratio_cutout} must not be < 0"
            )

    def __call__(self, images: Tensor, generator: torch.Generator) -> Tensor:
        """Return the changed batch, as networks are trained on it: every image has its own draws."""
        return self._change(images, Draws(len(images), generator))

    def siamese(self, images: Tensor, generator: torch.Generator) -> Tensor:
        """Return the batch with the same change for all images.

        The draws do not depend on the number of images: generators in equal states change a real and a synthetic
        batch alike.
        """
        return self._change(images, Draws(1, generator))

    def _change(self, images: Tensor, draw: Draws) -> Tensor:
        operations = self.strategy.split("_")
        choice = int(torch.randint(len(operations), (), generator=draw.generator, device=draw.generator.device))
        change = getattr(self, f"_{operations[choice]}")
        changed: Tensor = change(images, draw)
        return changed

    def _color(self, images: Tensor, draw: Draws) -> Tensor:
        images = dsa_ops.brighten(images, (draw.uniform().to(images) - 0.5) * self.brightness)
        images = dsa_ops.saturate(images, draw.uniform().to(images) * self.saturation)
        return dsa_ops.change_contrast(images, draw.uniform().to(images) + self.contrast)

    def _crop(self, images: Tensor, draw: Draws) -> Tensor:
        most = [int(size * self.ratio_crop_pad + 0.5) for size in images.shape[2:]]
        down, right = (draw.integers(-limit, limit + 1).to(images.device) for limit in most)
        return dsa_ops.shift(images, down, right)

    def _cutout(self, images: Tensor, draw: Draws) -> Tensor:
        sides = [int(size * self.ratio_cutout + 0.5) for size in images.shape[2:]]
        # The centre may lie on any pixel; squares of even side have one more place, after the last pixel.
        centres = [
            draw.integers(0, size + 1 - side % 2).to(images.device)
            for size, side in zip(images.shape[2:], sides, strict=True)
        ]
        top, left = (centre - side // 2 for centre, side in zip(centres, sides, strict=True))
        return dsa_ops.cut_out(images, top, left, sides[0], sides[1])

    def _flip(self, images: Tensor, draw: Draws) -> Tensor:
        return dsa_ops.flip(images, draw.uniform().to(images) < self.prob_flip)

    def _scale(self, images: Tensor, draw: Draws) -> Tensor:
        low = 1 / self.ratio_scale
        across, down = (draw.uniform().to(images) * (self.ratio_scale - low) + low for _ in range(2))
        return dsa_ops.scale(images, across, down)

    def _rotate(self, images: Tensor, draw: Draws) -> Tensor:
        degrees = (draw.uniform().to(images) - 0.5) * 2 * self.ratio_rotate
        return dsa_ops.rotate(images, degrees * (math.pi / 180))
