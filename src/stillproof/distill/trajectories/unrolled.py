"""How far training on synthetic images ends from a goal, and which way the images should move.

The usual way keeps the graph of every step of training, and so needs memory linear in their number. Here training first
runs without a graph and keeps only the weights of each step; then the steps are gone through backwards, each computed
once more, with what the loss wants of the weights after it (its adjoint) as the direction. So it keeps the
activations of only one step, and the weights of each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.distill.trajectories.flat_network import FlatNetwork


@dataclass(frozen=True)
class Batch:
    """One step of training: which images, how they are changed, and the random stream of the network's own draws."""

    index: Tensor  # (B,)
    augment: Callable[[Tensor], Tensor]  # the same change each time it is called
    draws: Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True)
class Unrolled:
    """The loss, and its gradients."""

    loss: Tensor  # ()
    images: Tensor  # (N, C, H, W)
    lr: Tensor  # ()


def unrolled_match(
    network: FlatNetwork,
    images: Tensor,
    labels: Tensor,
    lr: Tensor,
    batches: Sequence[Batch],
    *,
    start: Tensor,
    goal: Tensor,
    exact: bool,
) -> Unrolled:
    """Train from ``start`` on the batches and compare where that ends with ``goal``.

    Args:
        network: The network.
        images: All synthetic images.
        labels: Their classes.
        lr: Step size of that training.
        batches: Its steps.
        start: Weights to start from, (P,).
        goal: Weights to end at, (P,).
        exact: The exact gradient. Otherwise TESLA's approximation: weights inside the training count as constants, so
            that the adjoint stays the same and no Hessian is needed.
    """
    images, lr = images.detach(), lr.detach()
    weights = [start]
    for batch in batches:
        with torch.no_grad():
            seen = batch.augment(images[batch.index])
        with batch.draws():
            gradient = network.gradient(weights[-1], seen, labels[batch.index])
        weights.append(weights[-1] - lr * gradient)
    distance = (start - goal).square().sum()
    gap = weights.pop() - goal
    adjoint = 2 * gap / distance
    by_images, by_lr = torch.zeros_like(images), torch.zeros_like(lr)
    for batch, before in zip(reversed(batches), reversed(weights), strict=True):
        chosen = images[batch.index].requires_grad_()
        seen = batch.augment(chosen)
        with batch.draws():
            slope, by_seen, by_weights = network.slope(before, adjoint, seen, labels[batch.index], by_weights=exact)
        (by_chosen,) = torch.autograd.grad(seen, [chosen], by_seen)
        by_images.index_add_(0, batch.index, by_chosen, alpha=-float(lr))
        by_lr -= slope
        if by_weights is not None:
            adjoint = adjoint - lr * by_weights
    return Unrolled(gap.square().sum() / distance, by_images, by_lr)
