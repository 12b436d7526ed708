"""The operations that torchvision rounds on the way when pixels are whole numbers, to its results, level by level.

Images (N, C, H, W) of whole 255ths and one strength per image, (N,), as in ``pixel_ops``, whose operations agree with
torchvision's but for such roundings. Everything is in single precision and in the order of torchvision 0.12, which
DC-Bench ran, so that values on the border of two levels fall on the same side.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.transforms import pixel_ops


def adjust_brightness(images: Tensor, strength: Tensor) -> Tensor:
    """Multiply every level by 1 + strength."""
    return _away_from(0.0, _levels(images), strength)


def adjust_colour(images: Tensor, strength: Tensor) -> Tensor:
    """Multiply every pixel's distance from the level of its grey by 1 + strength."""
    levels = _levels(images)
    return _away_from(_grey(levels), levels, strength) if images.shape[1] == 3 else images


def adjust_contrast(images: Tensor, strength: Tensor) -> Tensor:
    """Multiply every level's distance from the mean of the levels of grey of its image by 1 + strength."""
    levels = _levels(images)
    grey = _grey(levels) if images.shape[1] == 3 else levels
    return _away_from(grey.mean((1, 2, 3), keepdim=True), levels, strength)


def adjust_sharpness(images: Tensor, strength: Tensor) -> Tensor:
    """Multiply every level's distance from the nearest level of the smoothed image by 1 + strength."""
    if min(images.shape[2:]) < 3:
        return images
    levels = _levels(images)
    smooth = levels.clone()
    # Thirteenths are never halfway between two levels, so that the order of the sum does not matter here.
    around = 9 * F.avg_pool2d(levels, 3, stride=1) + 4 * levels[:, :, 1:-1, 1:-1]
    smooth[:, :, 1:-1, 1:-1] = (around / 13).round()
    return _away_from(smooth, levels, strength)


def autocontrast(images: Tensor, _: Tensor) -> Tensor:
    """Stretch every channel from 0 to 255, unless it is flat."""
    levels = _levels(images)
    low, high = levels.amin((2, 3), keepdim=True), levels.amax((2, 3), keepdim=True)
    flat = high == low
    scale = 255 / (high - low).clamp(min=1)
    return _cut(((levels - low) * scale).where(~flat, levels))


def shift_hue(images: Tensor, turn: Tensor) -> Tensor:
    """Move every pixel by ``turn`` turns around the colour circle, by way of hue, saturation and brightness."""
    if images.shape[1] != 3:
        return images
    brightest = images.amax(1)
    chroma = brightest - images.amin(1)
    grey = chroma == 0
    saturation = chroma / brightest.masked_fill(grey, 1)
    red, green, blue = ((brightest[:, None] - images) / chroma.masked_fill(grey, 1)[:, None]).unbind(1)
    sixths = torch.where(green == 0, 2 + red - blue, 4 + green - red)
    sixths = torch.where(red == 0, blue - green, sixths)
    place = (torch.fmod(sixths / 6 + 1, 1) + turn.view(-1, 1, 1)) % 1 * 6
    sector = place.floor()
    rest = place - sector
    # How far red is from the brightest channel in each of six sectors; the others' circles begin elsewhere.
    none, all_ = torch.zeros_like(rest), torch.ones_like(rest)
    shares = torch.stack([none, rest, all_, all_, 1 - rest, none], dim=1)
    index = torch.stack([(sector.long() + start) % 6 for start in (0, 4, 2)], dim=1)
    changed = brightest[:, None] * (1 - saturation[:, None] * shares.gather(1, index))
    return _cut(changed * 255)


def _away_from(origin: Tensor | float, levels: Tensor, strength: Tensor) -> Tensor:
    share = strength.view(-1, 1, 1, 1)
    return _cut((1 + share) * levels + -share * origin)


def _cut(levels: Tensor) -> Tensor:
    return levels.clamp(0, 255).floor() / 255


def _grey(levels: Tensor) -> Tensor:
    red, green, blue = (levels[:, channel : channel + 1] for channel in range(3))
    shares = pixel_ops.GREY
    return (shares[0] * red + shares[1] * green + shares[2] * blue).floor()


def _levels(images: Tensor) -> Tensor:
    return (images * 255).round()
