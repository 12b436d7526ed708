"""The operations of DSA as pure functions: images (N, C, H, W) and one parameter per image, or one for all."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F


def brighten(images: Tensor, offset: Tensor) -> Tensor:
    """Add the offset to every value."""
    return images + _by_image(offset)


def saturate(images: Tensor, factor: Tensor) -> Tensor:
    """Scale every pixel's distance from its mean over channels; one-channel images stay as they are."""
    grey = images.mean(1, keepdim=True)
    return (images - grey) * _by_image(factor) + grey


def change_contrast(images: Tensor, factor: Tensor) -> Tensor:
    """Scale every value's distance from the mean of its image."""
    mean = images.mean((1, 2, 3), keepdim=True)
    return (images - mean) * _by_image(factor) + mean


def flip(images: Tensor, chosen: Tensor) -> Tensor:
    """Mirror the chosen images left to right."""
    return torch.where(_by_image(chosen), images.flip(3), images)


def shift(images: Tensor, down: Tensor, right: Tensor) -> Tensor:
    """Read every pixel from ``down`` and ``right`` pixels further on; what lies outside is zero."""
    count, channels, height, width = images.shape
    # One ring of zeros is enough: reads beyond it are clamped onto it.
    padded = F.pad(images, (1, 1, 1, 1))
    rows = (torch.arange(height, device=images.device) + down[:, None] + 1).clamp(0, height + 1)
    columns = (torch.arange(width, device=images.device) + right[:, None] + 1).clamp(0, width + 1)
    moved = padded.gather(2, rows[:, None, :, None].expand(count, channels, height, width + 2))
    return moved.gather(3, columns[:, None, None, :].expand(count, channels, height, width))


def cut_out(images: Tensor, top: Tensor, left: Tensor, height: int, width: int) -> Tensor:
    """Set a rectangle to zero; the part of it that lies outside is ignored."""
    rows = torch.arange(images.shape[2], device=images.device) - top[:, None]
    columns = torch.arange(images.shape[3], device=images.device) - left[:, None]
    inside_rows, inside_columns = (rows >= 0) & (rows < height), (columns >= 0) & (columns < width)
    return images.masked_fill((inside_rows[:, :, None] & inside_columns[:, None, :])[:, None], 0.0)


def scale(images: Tensor, across: Tensor, down: Tensor) -> Tensor:
    """Show ``across`` times the width and ``down`` times the height: above 1 the image shrinks, below 1 it grows."""
    zero = torch.zeros_like(across)
    return _warp(images, [[across, zero, zero], [zero, down, zero]])


def rotate(images: Tensor, angle: Tensor) -> Tensor:
    """Turn the images by an angle in radians, anticlockwise."""
    zero = torch.zeros_like(angle)
    return _warp(images, [[angle.cos(), -angle.sin(), zero], [angle.sin(), angle.cos(), zero]])


def _by_image(values: Tensor) -> Tensor:
    return values.view(-1, 1, 1, 1)


def _warp(images: Tensor, rows: list[list[Tensor]]) -> Tensor:
    """Resample the images, bilinear with zeros outside, through affine maps given entry by entry."""
    maps = torch.stack([torch.stack(row, dim=-1) for row in rows], dim=1)  # (n, 2, 3)
    grid = F.affine_grid(maps.expand(len(images), 2, 3), list(images.shape), align_corners=False)
    return F.grid_sample(images, grid, align_corners=False)
