"""Expectation over transformation: the mean gradient of a model that answers at random (arXiv:1707.07397)."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.attack.base.losses import Loss
from stillproof.attack.stepping.walk import Walk


def mean_gradient(walk: Walk, loss: Loss | None, samples: int) -> Tensor:
    """Return the mean of several gradients at the same points; each costs a forward pass and a backward pass."""
    return torch.stack([walk.crafting.gradient(walk.points, loss) for _ in range(samples)]).mean(0)
