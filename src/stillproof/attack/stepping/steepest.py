"""The direction in which a loss grows fastest, for a step of a given size in a norm."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from stillproof.attack.base.limits import Limits
from stillproof.attack.base.norms import Norm, by_image, sizes

# Values that a step in L1 changes, for each 1 of eps. The steepest step would change a single one; SLIDE
# (arXiv:1904.13000) changes some percent of all. Measured on ConvNets for 16 and 32 px: 1 to 4 for each 1 of eps leave
# up to a third fewer images than a few percent, and no more than a single one does, whose steps do not get far.
CHANGED = 2.0


def steepest(gradient: Tensor, norm: Norm, images: Tensor, points: Tensor, limits: Limits) -> Tensor:
    """Return a direction of size 1 in the norm, (N, C, H, W); zero where the gradient is.

    Args:
        gradient: The gradient of the loss.
        norm: The norm.
        images: The clean images.
        points: Where the step begins.
        limits: How far images may be changed.
    """
    if norm == "Linf":
        return gradient.sign()
    if norm == "L2":
        return gradient / by_image(sizes(gradient, "L2").clamp(min=1e-30), gradient)
    outward = torch.where(gradient > 0, points >= limits.high(images), points <= limits.low(images))
    free = gradient.masked_fill(outward, 0.0).flatten(1)  # a value at the end of its range has nowhere to go
    assert limits.eps is not None, "a step in L1 is measured by the ball"
    count = min(math.ceil(CHANGED * limits.eps), free.shape[1])
    top = free.abs().topk(count, dim=1).indices
    chosen = torch.zeros_like(free).scatter(1, top, free.gather(1, top).sign())
    return (chosen / chosen.abs().sum(1, keepdim=True).clamp(min=1)).view_as(gradient)
