"""How far two gradients of a network's weights are from each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import torch
from torch import Tensor

Distance = Literal["layerwise", "mse", "cos"]
Gradients = Sequence[Tensor]  # one per parameter, in the network's order

EPSILON = 1e-6  # beside the product of two norms


def gradient_distance(kind: Distance, found: Gradients, goal: Gradients) -> Tensor:
    """Return the distance of the gradient ``found`` from ``goal``; differentiable in ``found``."""
    return _DISTANCES[kind](found, goal)


def _layerwise(found: Gradients, goal: Gradients) -> Tensor:
    """Sum 1 - cosine over the rows of every layer: one row per output unit; biases and scales of norms do not count."""
    layers = [(f.flatten(1), g.flatten(1)) for f, g in zip(found, goal, strict=True) if f.dim() > 1]
    return torch.stack([_one_minus_cosine(f, g).sum() for f, g in layers]).sum()


def _mse(found: Gradients, goal: Gradients) -> Tensor:
    return (_flat(found) - _flat(goal)).square().sum()


def _cos(found: Gradients, goal: Gradients) -> Tensor:
    return _one_minus_cosine(_flat(found), _flat(goal))


def _one_minus_cosine(left: Tensor, right: Tensor) -> Tensor:
    """Return one value per row (the last dimension)."""
    lengths: Tensor = torch.linalg.vector_norm(left, dim=-1) * torch.linalg.vector_norm(right, dim=-1)
    return 1 - (left * right).sum(-1) / (lengths + EPSILON)


def _flat(gradients: Gradients) -> Tensor:
    return torch.cat([gradient.flatten() for gradient in gradients])


_DISTANCES: dict[Distance, Callable[[Gradients, Gradients], Tensor]] = {
    "layerwise": _layerwise,
    "mse": _mse,
    "cos": _cos,
}
