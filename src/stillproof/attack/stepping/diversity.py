"""Input diversity: the model sees an image now and then smaller, and somewhere else (arXiv:1803.06978)."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.attack.stepping.walk import Walk


def diverse_gradient(walk: Walk, smallest: float, probability: float) -> Tensor:
    """Return the gradient of the cross-entropy, each image seen as a random copy with some probability.

    Args:
        walk: Where the images are.
        smallest: Smallest size of a copy, as a share of the image's.
        probability: Probability that the model sees such a copy instead of the image.
    """
    streams = walk.crafting.streams
    size, top, left, copied = streams.uniform((4,), "diversity", walk.number).to(walk.points).unbind(1)
    copies = copied < probability
    rows, columns = (
        _placing(length, size, offset, smallest, copies)
        for length, offset in zip(walk.points.shape[2:], (top, left), strict=True)
    )

    def through(images: Tensor, part: slice) -> Tensor:
        return rows[part].unsqueeze(1) @ images @ columns[part].unsqueeze(1).transpose(2, 3)

    gradient, logits = walk.crafting.ask(walk.points, walk.crafting.cross_entropy, through=through)
    walk.crafting.judge(walk.points, logits, where=~copies)  # what was seen as it is
    return gradient


def _placing(length: int, size: Tensor, offset: Tensor, smallest: float, copies: Tensor) -> Tensor:
    """Return matrices, (N, length, length), that shrink lines of pixels linearly and put them somewhere, else black.

    Args:
        length: Pixels of a line.
        size: Draws from [0, 1) that settle how many pixels are left.
        offset: Draws from [0, 1) that settle where they lie.
        smallest: The least number of pixels, as a share.
        copies: Which images are changed; the others are left as they are.
    """
    least = max(1, int(smallest * length))
    kept = torch.where(copies, least + (size * (length - least)).floor(), length).unsqueeze(1)
    first = (offset.unsqueeze(1) * (length - kept)).floor()
    at = torch.arange(length, device=size.device, dtype=size.dtype)
    inside = (at >= first) & (at < first + kept)
    source = ((at - first + 0.5) * length / kept - 0.5).clamp(0, length - 1)
    weights = (1 - (source.unsqueeze(2) - at).abs()).clamp(min=0)  # of the two pixels around each place
    return weights * inside.unsqueeze(2)
