"""Images of 8-bit whole numbers, the commonest form of all: pixels from 0 to 255, with their channels first or last."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo
from stillproof.importers.numpy_files import channels_first

DIVIDED = "8-bit pixels were divided by 255"


def is_eight_bit(images: Tensor) -> bool:
    """Say whether images are 8-bit whole numbers, which can only be pixels."""
    return images.dtype == torch.uint8


def eight_bit_pixels(images: Tensor, info: DataInfo) -> tuple[Tensor, list[str]]:
    """Return 8-bit images as pixels in [0, 1] with their channels first, and what was done to them.

    Raises:
        BadInput: All are 0 or 1, so that they may be pixels of [0, 1] that were rounded.
    """
    if images.numel() and int(images.max()) == 1:
        raise BadInput("the images are 8-bit, and all values are 0 or 1: store them as floats if 1 means white.")
    moved, about = channels_first(images, info)
    return moved.float().div(255).contiguous(), [*about, DIVIDED]
