"""Patch shuffle: the columns of patches of an image change places, then the rows."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.transforms.draws import Draws
from stillproof.transforms.pixel_augmentation import PixelAugmentation


@augmentations.register("patch-shuffle", version=1, paper="arXiv:2312.03526")
@dataclass(frozen=True)
class PatchShuffle(PixelAugmentation):
    """Cuts every image into ``factor`` columns and as many rows, and puts these in another order.

    Patches of one column stay in one column, and those of one row in one row: so it is in RDED's code. If the size is
    no multiple, the last column and row are larger by the rest, which that code means to do but loses.

    Args:
        per_batch: Whether all images of a batch get the same order, in 8 bits.
        factor: Patches along each side.
    """

    factor: int = 2

    def __post_init__(self) -> None:
        """Refuse what cuts nothing."""
        if self.factor < 1:
            raise ValueError(f"factor must be at least 1, not {self.factor}")

    def change(self, images: Tensor, draws: Draws) -> Tensor:
        """Return the changed batch."""
        return shuffle_patches(images, self.factor, draws)


def shuffle_patches(images: Tensor, factor: int, draws: Draws) -> Tensor:
    """Return images (N, C, H, W) whose columns of patches, then rows of patches, are in a random order each."""
    if factor == 1:
        return images
    columns = _places(images.shape[3], draws.orders(factor)).to(images.device)
    rows = _places(images.shape[2], draws.orders(factor)).to(images.device)
    moved = images.gather(3, columns[:, None, None, :].expand_as(images))
    return moved.gather(2, rows[:, None, :, None].expand_as(images))


def _places(size: int, orders: Tensor) -> Tensor:
    """Return (N, size): where along an axis each place is read from, for patches in the given orders (N, factor)."""
    factor = orders.shape[1]
    width = max(1, size // factor)
    patch = torch.arange(size, device=orders.device).div(width, rounding_mode="floor").clamp(max=factor - 1)
    rank = orders.argsort(1)  # of each patch: the place that it comes to
    # Sorted by the rank of its patch; within a patch places keep their order.
    return rank[:, patch].argsort(dim=1, stable=True)
