"""Momentum: gradients of earlier steps count on, each brought to the same size."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.attack.stepping.walk import Walk

NAME = "momentum"


def normalised(gradient: Tensor) -> Tensor:
    """Return a gradient whose values have a mean size of 1 in each image; zero where it is zero."""
    size = gradient.abs().flatten(1).mean(1).view(-1, *[1] * (gradient.ndim - 1))
    return torch.where(size > 0, gradient / size, 0.0)


def with_momentum(walk: Walk, gradient: Tensor, decay: float) -> Tensor:
    """Return the gradient together with those of earlier steps, and remember the sum."""
    walk.memory[NAME] = decay * walk.remembered(NAME) + normalised(gradient)
    return walk.memory[NAME]
