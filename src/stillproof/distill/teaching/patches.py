"""Patches of images: put together in one, or alone in the middle of an empty one, as RDED has them."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F


def padded(patches: Tensor, size: int) -> Tensor:
    """Return patches (N, C, s, s) in the middle of images of ``size`` pixels that are zero elsewhere."""
    rest = size - patches.shape[2]
    before = rest // 2
    return F.pad(patches, (before, rest - before, before, rest - before))


def tiled(patches: Tensor, size: int, factor: int) -> Tensor:
    """Return (n, C, size, size) images of ``factor`` x ``factor`` patches each, from (n factor^2, C, s, s).

    The first n patches become the top left ones, the next those to the right of them, and so on, row by row. If the
    size is no multiple of ``factor``, the first rows and columns are larger by one pixel, and their patches with them.
    """
    count = len(patches) // factor**2
    sides = [size // factor + (number < size % factor) for number in range(factor)]
    images = patches.new_zeros(count, patches.shape[1], size, size)
    parts = iter(torch.split(patches, count))
    for row, height in enumerate(sides):
        for column, width in enumerate(sides):
            top, left = sum(sides[:row]), sum(sides[:column])
            images[:, :, top : top + height, left : left + width] = F.interpolate(next(parts), size=(height, width))
    return images
