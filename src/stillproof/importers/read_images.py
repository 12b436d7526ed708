"""Images as other people store them: channels first or last, 8-bit or floats, as pixels or normalised."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo
from stillproof.sets.checks import looks_like_bytes

DIVIDED = "8-bit pixels were divided by 255"


def channels_first(images: Tensor, info: DataInfo) -> tuple[Tensor, list[str]]:
    """Return (..., C, H, W) images: grey ones get their channel, and channels that come last are moved."""
    square = (info.size, info.size)
    if tuple(images.shape[-3:]) == (info.channels, *square):
        return images, []
    if tuple(images.shape[-3:]) == (*square, info.channels):
        return images.movedim(-1, -3), ["channels come last, and were moved before height and width"]
    if info.channels == 1 and images.ndim == 3 and tuple(images.shape[1:]) == square:
        return images.unsqueeze(1), ["images have no channel axis, and got one"]
    return images, []


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


def guess_space(images: Tensor, name: str) -> tuple[Literal["pixels", "normalised"], str]:
    """Return pixels if all values are in [0, 1] or 8-bit, else normalised, and why."""
    if images.numel() == 0:
        raise BadInput(f"{name} holds no images.")
    if is_eight_bit(images):
        return "pixels", "taken for pixels, since they are 8-bit whole numbers"
    low, high = float(images.min()), float(images.max())
    reach = f"values reach from {low:.3g} to {high:.3g}"
    if low >= 0 and high <= 1:
        return "pixels", f"taken for pixels, since {reach} (--space says otherwise)"
    if looks_like_bytes(low, high):
        raise BadInput(f"{name}: {reach}: divide by 255 first, so that pixels are in [0, 1].")
    return "normalised", f"taken for normalised images, since {reach} (--space says otherwise)"


def says_zca(path: Path) -> bool:
    """Say whether a name, or the folder it is in, speaks of ZCA whitening and does not deny it."""
    words = re.split(r"[^a-z0-9]+", f"{path.parent.name}/{path.name}".lower())
    pairs = zip(["", *words], words, strict=False)
    return any(word == "zca" and before not in ("no", "not", "without") for before, word in pairs)
