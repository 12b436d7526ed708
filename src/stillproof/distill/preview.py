"""A picture of a distilled set: one class a row, as pixels, large enough to be seen."""

from __future__ import annotations

import io

import torch
from PIL import Image
from torch import Tensor

from stillproof.core.types import Distilled
from stillproof.train.labels import classes
from stillproof.transforms.front import Front
from stillproof.transforms.space import to_pixels

MOST_ROWS = 20  # classes
MOST_COLUMNS = 10  # images a class
SMALLEST = 48  # pixels on the screen for one image
GAP = 2


def preview_png(distilled: Distilled, front: Front) -> bytes:
    """Return the picture as PNG."""
    label = classes(distilled.labels)
    pixels = to_pixels(distilled.images, front)
    rows = [pixels[label == c][:MOST_COLUMNS] for c in range(min(distilled.num_classes, MOST_ROWS))]
    rows = [row for row in rows if len(row)]
    grid = _grid(rows)
    buffer = io.BytesIO()
    Image.fromarray(grid.numpy()).save(buffer, format="PNG")
    return buffer.getvalue()


def _grid(rows: list[Tensor]) -> Tensor:
    """Lay (n, C, H, W) rows out as one (height, width, 3) uint8 picture on white."""
    size = rows[0].shape[-1]
    scale = max(1, -(-SMALLEST // size))
    cell = size * scale + GAP
    columns = max(len(row) for row in rows)
    grid = torch.full((len(rows) * cell + GAP, columns * cell + GAP, 3), 255, dtype=torch.uint8)
    for r, row in enumerate(rows):
        for c, image in enumerate(row):
            big = image.repeat_interleave(scale, 1).repeat_interleave(scale, 2)
            colour = big.expand(3, -1, -1).permute(1, 2, 0).mul(255).round().to(torch.uint8)
            top, left = GAP + r * cell, GAP + c * cell
            grid[top : top + size * scale, left : left + size * scale] = colour
    return grid
