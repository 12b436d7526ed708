"""What minimal-norm attacks share: a ball of its own for each image, the way to a border, and steps that shrink."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from stillproof.attack.base.norms import Norm, by_image, sizes

DUAL: dict[Norm, Norm] = {"Linf": "L1", "L2": "L2", "L1": "Linf"}
SMALL = 1e-12  # keeps a division finite
OVER = 1e-5  # logits, by which a border has to be crossed: two equal ones would be none


def into_balls(changes: Tensor, norm: Norm, radii: Tensor) -> Tensor:
    """Return the nearest changes that are no larger than the radii, (N, C, H, W); the radii are (N,)."""
    if norm == "Linf":
        most = by_image(radii, changes)
        return torch.minimum(torch.maximum(changes, -most), most)
    if norm == "L2":
        return changes * by_image((radii / sizes(changes, "L2").clamp(min=SMALL)).clamp(max=1), changes)
    return _into_l1(changes.flatten(1), radii).view_as(changes)


def to_border(margins: Tensor, gradient: Tensor, norm: Norm) -> Tensor:
    """Return how far away the border is, (N,), if the margin grows as its gradient says: measured by the dual norm."""
    return (margins.abs() + OVER) / sizes(gradient, DUAL[norm]).clamp(min=SMALL)


def inward(gradient: Tensor, points: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """Return the gradient without the values that are at an end of their range and should go beyond it."""
    outward = torch.where(gradient > 0, points >= high, points <= low)
    return gradient.masked_fill(outward, 0.0)


def farthest(images: Tensor, low: Tensor, high: Tensor, norm: Norm) -> Tensor:
    """Return the size of the largest change that the range of pixels leaves to each image, (N,)."""
    return sizes(torch.maximum(images - low, high - images), norm)


def _into_l1(changes: Tensor, radii: Tensor) -> Tensor:
    """Make all values smaller by one amount, and stop at zero, where the sum is larger than the radius."""
    found, ordered = changes.abs(), changes.abs().sort(dim=1, descending=True).values
    sums = ordered.cumsum(1) - radii.unsqueeze(1)
    counts = torch.arange(1, changes.shape[1] + 1, device=changes.device)
    # The k largest values stay above zero, for the last k at which the amount is below the k-th of them.
    last = (ordered * counts > sums).sum(1, keepdim=True).clamp(min=1)
    amount = (sums.gather(1, last - 1) / last).clamp(min=0)
    return changes.sign() * (found - amount).clamp(min=0)


def falling(first: float, last: float, step: int, steps: int) -> float:
    """Return a value that falls along a cosine, from the first at step 0 to the last, which would be at ``steps``."""
    return last + (first - last) * (1 + math.cos(math.pi * step / steps)) / 2
