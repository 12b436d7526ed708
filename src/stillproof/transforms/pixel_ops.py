"""Operations on the values of [0, 1] pixels: images (N, C, H, W) and one strength per image, (N,).

Pictures inside [0, 1] come out as torchvision's operations and Pillow's have them. Synthetic images may go beyond, and
are not cut to size: where the originals clamp, the limits here are [0, 1] or the image's own darkest and brightest
value, whichever lie further out. Only operations that are defined on 8-bit values (``posterize``, ``equalize``)
clamp to [0, 1] and round to 255ths first.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

GREY = (0.2989, 0.587, 0.114)  # share of red, green and blue in the brightness of a pixel
FLAT = 0.5 / 255  # values that lie closer together are one 8-bit level


def adjust_brightness(images: Tensor, strength: Tensor) -> Tensor:
    """Multiply every value by 1 + strength."""
    return _away_from(torch.zeros_like(images), images, strength)


def adjust_colour(images: Tensor, strength: Tensor) -> Tensor:
    """Multiply every pixel's distance from its grey by 1 + strength; images without colours stay as they are."""
    return _away_from(_grey(images), images, strength)


def adjust_contrast(images: Tensor, strength: Tensor) -> Tensor:
    """Multiply every value's distance from the mean grey of its image by 1 + strength."""
    return _away_from(_grey(images).mean((1, 2, 3), keepdim=True), images, strength)


def adjust_sharpness(images: Tensor, strength: Tensor) -> Tensor:
    """Multiply every value's distance from the smoothed image by 1 + strength; the border stays as it is."""
    if min(images.shape[2:]) < 3:
        return images
    smooth = images.clone()
    inside = images[:, :, 1:-1, 1:-1]
    # Weights of 5 in the middle and 1 around it.
    smooth[:, :, 1:-1, 1:-1] = (9 * F.avg_pool2d(images, 3, stride=1) + 4 * inside) / 13
    return _away_from(smooth, images, strength)


def shift_hue(images: Tensor, turn: Tensor) -> Tensor:
    """Move every pixel by ``turn`` turns around the colour circle; images without colours stay as they are."""
    if images.shape[1] != 3:
        return images
    red, green, blue = images.unbind(1)
    brightest = images.amax(1)
    chroma = brightest - images.amin(1)
    width = chroma.clamp(min=torch.finfo(images.dtype).tiny)
    sixth = torch.where(red == brightest, (green - blue) / width, (red - green) / width + 4)
    sixth = torch.where((green == brightest) & (red != brightest), (blue - red) / width + 2, sixth)
    sixth = sixth + 6 * turn.view(-1, 1, 1)
    # How far a channel lies below the brightest is a trapezium over the circle, with its own beginning.
    places = [(sixth + start) % 6 for start in (5, 3, 1)]
    below = [torch.minimum(place, 4 - place).clamp(0, 1) for place in places]
    return torch.stack([brightest - chroma * share for share in below], dim=1)


def invert(images: Tensor, _: Tensor) -> Tensor:
    """Turn bright into dark."""
    return 1 - images


def solarize(images: Tensor, threshold: Tensor) -> Tensor:
    """Invert the values whose 8-bit level is at least the threshold."""
    return torch.where((images * 255).round() >= _by_image(threshold), 1 - images, images)


def posterize(images: Tensor, bits: Tensor) -> Tensor:
    """Keep the highest ``bits`` of the 8 bits of every value."""
    step = 2 ** (8 - _by_image(bits))
    return (_levels(images) / step).floor() * step / 255


def autocontrast(images: Tensor, _: Tensor) -> Tensor:
    """Stretch every channel from 0 to 1, unless it is flat."""
    low, high = images.amin((2, 3), keepdim=True), images.amax((2, 3), keepdim=True)
    span = high - low
    return torch.where(span > FLAT, (images - low) / span.clamp(min=FLAT), images)


def equalize(images: Tensor, _: Tensor) -> Tensor:
    """Make all 256 levels of a channel about equally frequent; channels of too few pixels stay as they are."""
    levels = _levels(images).long().flatten(0, 1).flatten(1)  # (N * C, H * W)
    rows = len(levels)
    offsets = 256 * torch.arange(rows, device=images.device)[:, None]
    counts = (levels + offsets).flatten().bincount(minlength=256 * rows).view(rows, 256)
    last = counts.gather(1, levels.amax(1, keepdim=True))
    step = (levels.shape[1] - last) // 255  # (N * C, 1) pixels per level
    before = counts.cumsum(1) - counts
    table = ((before + step // 2) // step.clamp(min=1)).clamp(max=255)
    changed = (table.gather(1, levels) / 255).view(images.shape).to(images.dtype)
    return torch.where(step.view(*images.shape[:2], 1, 1) > 0, changed, images)


def _away_from(origin: Tensor, images: Tensor, strength: Tensor) -> Tensor:
    """Return origin + (images - origin) * (1 + strength), within [0, 1] and the range of each image."""
    changed = images + (images - origin) * _by_image(strength)
    low, high = images.amin((1, 2, 3), keepdim=True), images.amax((1, 2, 3), keepdim=True)
    return changed.clamp(low.clamp(max=0), high.clamp(min=1))


def _grey(images: Tensor) -> Tensor:
    if images.shape[1] != 3:
        return images.mean(1, keepdim=True)
    return (images * images.new_tensor(GREY).view(1, 3, 1, 1)).sum(1, keepdim=True)


def _levels(images: Tensor) -> Tensor:
    return (images.clamp(0, 1) * 255).round()


def _by_image(values: Tensor) -> Tensor:
    return values.view(-1, 1, 1, 1)
