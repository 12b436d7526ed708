"""Cuts a box of its own out of every image of a batch and resizes it to full size, all at once."""

from __future__ import annotations

import torch
from torch import Tensor


def crop_resize(images: Tensor, boxes: Tensor) -> Tensor:
    """Return (N, C, H, W) images, each the inside of its box at full size, by bilinear interpolation.

    What lies outside a box has no influence, as if it had been cut out with scissors: that is what picture libraries
    do. The interpolation is linear in the pixels, so that it may come before or after a normalisation.

    Args:
        images: (N, C, H, W).
        boxes: (N, 4) whole numbers: top, left, height and width in pixels, inside the images.
    """
    top, left, height, width = boxes.to(images.device).unbind(1)
    rows = _weights(top, height, images.shape[2]).to(images.dtype)
    columns = _weights(left, width, images.shape[3]).to(images.dtype)
    # (N, 1, H, H) @ (N, C, H, W) @ (N, 1, W, W)
    return rows.unsqueeze(1) @ images @ columns.transpose(1, 2).unsqueeze(1)


def _weights(start: Tensor, length: Tensor, size: int) -> Tensor:
    """Return (N, size, size): how much every old place counts for every new one; each row sums to 1."""
    places = torch.arange(size, device=start.device)
    scale = length / size  # (N,), at most 1: boxes are enlarged, never shrunk
    centres = (places + 0.5) * scale.unsqueeze(1) - 0.5 + start.unsqueeze(1)  # (N, new)
    distance = (places - centres.unsqueeze(2)).abs()  # (N, new, old)
    inside = (places >= start.unsqueeze(1)) & (places < (start + length).unsqueeze(1))  # (N, old)
    weights = (1 - distance).clamp(min=0) * inside.unsqueeze(1)
    return weights / weights.sum(2, keepdim=True)
