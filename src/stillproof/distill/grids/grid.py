"""Four images in place of one: a 2x2 grid of halved images, which ``transforms.decode`` takes apart again."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.core.errors import BadInput

Form = Literal["single", "grid2x2"]

CELLS = 4


def pack_grids(images: Tensor) -> Tensor:
    """Return (N, C, H, W) grids of (4 N, C, H, W) images, in the order that decoding gives them back.

    The first N images become the top left cells, the next the bottom left, top right and bottom right ones. Each is
    halved by averaging. If the size is odd, the last row and column belong to no cell, there and here; they are zero.
    """
    height, width = (size // 2 for size in images.shape[2:])
    if not (height and width):
        raise BadInput(f"images of {images.shape[2]} x {images.shape[3]} pixels are too small for a 2x2 grid.")
    top_left, bottom_left, top_right, bottom_right = F.adaptive_avg_pool2d(images, (height, width)).chunk(CELLS)
    left = torch.cat([top_left, bottom_left], dim=2)
    right = torch.cat([top_right, bottom_right], dim=2)
    return F.pad(torch.cat([left, right], dim=3), (0, images.shape[3] % 2, 0, images.shape[2] % 2))


def decode_of(form: Form) -> Literal["none", "grid2x2"]:
    """Return how images of the form are decoded, as distilled sets say it."""
    return "grid2x2" if form == "grid2x2" else "none"


def images_each(ipc: int, form: Form) -> int:
    """Return how many real images per class give ``ipc`` images of the form."""
    return CELLS * ipc if form == "grid2x2" else ipc


def cell_by_cell(index: Tensor, num_classes: int) -> Tensor:
    """Reorder positions of images, equally many per class, from class by class to the order of ``pack_grids``."""
    return index.reshape(num_classes, CELLS, -1).transpose(0, 1).flatten()
