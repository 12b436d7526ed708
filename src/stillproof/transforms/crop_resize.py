"""Cuts a box of its own out of every image of a batch and resizes it, all at once."""

from __future__ import annotations

import torch
from torch import Tensor


def crop_resize(images: Tensor, boxes: Tensor, size: int | None = None) -> Tensor:
    """Return images (N, C, H, W), each the inside of its box at full size, by bilinear interpolation.

    What lies outside a box has no influence, as if it had been cut out with scissors: that is what picture libraries
    do. The interpolation is linear in the pixels, so that it may come before or after a normalisation. Where a box
    becomes smaller, all of its pixels count (libraries call that antialiasing).

    Args:
        images: (N, C, H, W).
        boxes: (N, 4) whole numbers: top, left, height and width in pixels, inside the images.
        size: Height and width of the result, if it is not that of the images.
    """
    top, left, height, width = boxes.to(images.device).unbind(1)
    rows = _weights(top, height, images.shape[2], size or images.shape[2]).to(images.dtype)
    columns = _weights(left, width, images.shape[3], size or images.shape[3]).to(images.dtype)
    # (N, 1, new, H) @ (N, C, H, W) @ (N, 1, W, new)
    return rows.unsqueeze(1) @ images @ columns.transpose(1, 2).unsqueeze(1)


def _weights(start: Tensor, length: Tensor, old: int, new: int) -> Tensor:
    """Return (N, new, old): how much every old place counts for every new one; each row sums to 1."""
    places = torch.arange(old, device=start.device)
    scale = (length / new).unsqueeze(1)  # (N, 1), of old pixels for every new one
    centres = (torch.arange(new, device=start.device) + 0.5) * scale - 0.5 + start.unsqueeze(1)  # (N, new)
    distance = (places - centres.unsqueeze(2)).abs() / scale.clamp(min=1).unsqueeze(2)  # (N, new, old)
    inside = (places >= start.unsqueeze(1)) & (places < (start + length).unsqueeze(1))  # (N, old)
    weights = (1 - distance).clamp(min=0) * inside.unsqueeze(1)
    return weights / weights.sum(2, keepdim=True)
