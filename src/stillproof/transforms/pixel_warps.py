"""Movements of [0, 1] pixels: nearest neighbour, and black where nothing was; values outside [0, 1] survive."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional as F


def shear_across(images: Tensor, slope: Tensor) -> Tensor:
    """Read every pixel from further right, by ``slope`` of its height from the top edge."""
    one, zero = torch.ones_like(slope), torch.zeros_like(slope)
    height = images.shape[2]
    return _warp(images, [[one, slope, slope * height / 2], [zero, one, zero]])


def shear_down(images: Tensor, slope: Tensor) -> Tensor:
    """Read every pixel from further down, by ``slope`` of its distance from the left edge."""
    one, zero = torch.ones_like(slope), torch.zeros_like(slope)
    width = images.shape[3]
    return _warp(images, [[one, zero, zero], [slope, one, slope * width / 2]])


def move_right(images: Tensor, distance: Tensor) -> Tensor:
    """Move the images to the right by whole pixels; fractions are cut off."""
    one, zero = torch.ones_like(distance), torch.zeros_like(distance)
    return _warp(images, [[one, zero, -distance.trunc()], [zero, one, zero]])


def move_down(images: Tensor, distance: Tensor) -> Tensor:
    """Move the images down by whole pixels; fractions are cut off."""
    one, zero = torch.ones_like(distance), torch.zeros_like(distance)
    return _warp(images, [[one, zero, zero], [zero, one, -distance.trunc()]])


def turn(images: Tensor, degrees: Tensor) -> Tensor:
    """Turn the images about their centre, anticlockwise."""
    angle = degrees * (math.pi / 180)
    zero = torch.zeros_like(angle)
    return _warp(images, [[angle.cos(), -angle.sin(), zero], [angle.sin(), angle.cos(), zero]])


def _warp(images: Tensor, rows: list[list[Tensor]]) -> Tensor:
    """Resample the images through maps from new to old places, in pixels right of and below the centre."""
    height, width = images.shape[2:]
    maps = torch.stack([torch.stack(row, dim=-1) for row in rows], dim=1)  # (N, 2, 3)
    across, down = (torch.arange(size, device=maps.device) + (0.5 - size / 2) for size in (width, height))
    places = torch.stack([*torch.meshgrid(across, down, indexing="xy"), maps.new_ones(height, width)], dim=-1).to(maps)
    # Places go in as pixels and come out in the library's measure, from -1 to 1 along each axis. Torchvision has it so,
    # too: halfway between two pixels, rounding decides which one is read.
    scaled = maps.mT / maps.new_tensor([width / 2, height / 2])
    grid = places.view(1, -1, 3).expand(len(maps), -1, -1).bmm(scaled).view(-1, height, width, 2)
    return F.grid_sample(images, grid, mode="nearest", padding_mode="zeros", align_corners=False)
