"""The usual augmentation of photographs: random crops, mirror images and changes of colour."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.transforms.crop_flip import check_padding, padded_crop, random_flip
from stillproof.transforms.draws import Draws
from stillproof.transforms.pixel_augmentation import PixelAugmentation
from stillproof.transforms.pixel_table import apply_each


@augmentations.register(
    "imagenet-aug",
    version=1,
    paper="arXiv:2207.09639",
    names={"imagenet-aug-per-batch": {"per_batch": True}},
)
@dataclass(frozen=True)
class ImageNetAug(PixelAugmentation):
    """A crop out of the padded image, a flip of every second one, and jittered colours, in an order of their own.

    Args:
        per_batch: Whether all images of a batch get the same change, in 8 bits, as in DC-Bench.
        padding: Black pixels at each side, and so the largest shift; by default 4, as in DC-Bench, but an eighth of the
            size where images are smaller than its 32 pixels.
        brightness: Largest change of a value, as a share of it.
        contrast: Largest change of a value's distance from the mean grey, as a share of it.
        saturation: Largest change of a pixel's distance from its grey, as a share of it.
        hue: Largest move around the colour circle, in turns.
    """

    padding: int | None = None
    brightness: float = 0.4
    contrast: float = 0.4
    saturation: float = 0.4
    hue: float = 0.2

    def __post_init__(self) -> None:
        """Refuse changes that have no meaning."""
        check_padding(self.padding)
        if not all(0 <= width <= 1 for width in self._widths()) or self.hue > 0.5:
            raise ValueError("brightness, contrast and saturation must lie in [0, 1], hue in [0, 0.5]")

    def change(self, images: Tensor, draws: Draws) -> Tensor:
        """Return the changed batch."""
        images = random_flip(padded_crop(images, self.padding, draws), draws)
        orders = draws.orders(4)
        names = ("brightness", "contrast", "colour", "hue")
        strengths = (2 * draws.uniform(4) - 1) * torch.tensor(self._widths(), device=orders.device)
        for operations, values in zip(orders.T.tolist(), strengths.gather(1, orders).T.tolist(), strict=True):
            chosen = [names[operation] for operation in operations]
            images = self.settled(apply_each(images, chosen, values, eight_bit=self.per_batch))
        return images

    def _widths(self) -> tuple[float, float, float, float]:
        return self.brightness, self.contrast, self.saturation, self.hue
