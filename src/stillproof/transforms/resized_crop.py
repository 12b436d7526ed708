"""Random resized crops: a box of random size and shape out of every image, at full size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.transforms.crop_resize import crop_resize
from stillproof.transforms.draws import Draws
from stillproof.transforms.pixel_augmentation import PixelAugmentation

TRIES = 10  # boxes that are drawn for an image, of which the first that fits counts


@augmentations.register("resized-crop", version=1, paper="arXiv:1409.4842")
@dataclass(frozen=True)
class ResizedCrop(PixelAugmentation):
    """Cuts a box out of every image and resizes it to full size.

    Args:
        per_batch: Whether all images of a batch get the same box, in 8 bits.
        min_scale: Smallest area of a box, as a share of the image's.
        max_scale: Largest area.
        ratio: Largest ratio of a box's sides to each other; 1 for squares.
    """

    min_scale: float = 0.08
    max_scale: float = 1.0
    ratio: float = 4 / 3

    def __post_init__(self) -> None:
        """Refuse boxes that do not exist."""
        check_box(self.min_scale, self.max_scale, self.ratio)

    def change(self, images: Tensor, draws: Draws) -> Tensor:
        """Return the changed batch."""
        return crop_resize(images, random_boxes(draws, images.shape[2:], self.min_scale, self.max_scale, self.ratio))


def check_box(min_scale: float, max_scale: float, ratio: float) -> None:
    """Refuse areas and ratios that no box has, with a ``ValueError``."""
    if not 0 < min_scale <= max_scale <= 1:
        raise ValueError(f"0 < min_scale <= max_scale <= 1 must hold, not {min_scale} and {max_scale}")
    if ratio < 1:
        raise ValueError(f"ratio is that of the longer side to the shorter one, at least 1, not {ratio}")


def random_boxes(
    draws: Draws, size: Sequence[int], min_scale: float = 0.08, max_scale: float = 1.0, ratio: float = 4 / 3
) -> Tensor:
    """Return (N, 4): top, left, height and width of a box inside images of a size, drawn as torchvision does.

    The area is uniform, the ratio of width to height uniform in its logarithm, from 1 / ``ratio`` to ``ratio``. If none
    of ten such boxes fits, the largest one in the middle is taken whose sides are in that range.
    """
    height, width = size
    areas = (min_scale + (max_scale - min_scale) * draws.uniform(TRIES)) * height * width  # (N, tries)
    ratios = ((2 * draws.uniform(TRIES) - 1) * math.log(ratio)).exp()
    widths, heights = (areas * ratios).sqrt().round().long(), (areas / ratios).sqrt().round().long()
    fits = (widths > 0) & (widths <= width) & (heights > 0) & (heights <= height)
    first = fits.byte().argmax(1, keepdim=True)
    middle_height, middle_width = min(height, round(width * ratio)), min(width, round(height * ratio))
    fitting = fits.any(1)
    tall = torch.where(fitting, heights.gather(1, first)[:, 0], middle_height)
    wide = torch.where(fitting, widths.gather(1, first)[:, 0], middle_width)
    top = torch.where(fitting, _place(draws, height - tall), (height - tall) // 2)
    left = torch.where(fitting, _place(draws, width - wide), (width - wide) // 2)
    return torch.stack([top, left, tall, wide], dim=1)


def _place(draws: Draws, last: Tensor) -> Tensor:
    """Return (N,) whole numbers from 0 to ``last``."""
    return (draws.uniform() * (last + 1)).long().minimum(last)
