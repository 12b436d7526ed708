"""The loop of methods that recover images from a trained network: every group by itself, all of them step by step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import torch
from torch import Tensor

from stillproof.core.context import Context
from stillproof.distill.learning.descent import OnDivergence, descend
from stillproof.distill.teacher import pixel_range

BETAS = (0.5, 0.9)  # of Adam

# Takes images (groups, images, C, H, W), their places in the set (groups, images), and the step; gives (groups,).
GroupLosses = Callable[[Tensor, Tensor, int], Tensor]


class Settings(Protocol):
    """What the loop needs of a method."""

    @property
    def steps(self) -> int:
        """Return the number of updates of every image."""
        ...

    @property
    def lr(self) -> float:
        """Return the step size at the start."""
        ...

    @property
    def on_divergence(self) -> OnDivergence:
        """Return what to do when the loss is no longer finite."""
        ...


def recover(settings: Settings, images: Tensor, passes: Sequence[Tensor], ctx: Context, losses_of: GroupLosses) -> None:
    """Update the images, class by class in the cell's space, by Adam with a step size that falls in a cosine.

    Groups know nothing of each other, since the statistics are of one group. The original recovers one after another;
    here all take a step before any takes the next one, and several go through the network at once, which is the same
    (Adam looks at each value by itself), faster, and has whole sets on the way. After every step, images are cut to
    what pixels can be.

    Args:
        settings: The method.
        images: Where they start; they are changed in place.
        passes: The places of the images that go through the network together, (groups, images) each.
        ctx: The cell's context.
        losses_of: Gives the loss of each group.
    """
    low, high = pixel_range(ctx, images.shape[1])
    images.requires_grad_()
    optimiser = torch.optim.Adam([images], lr=settings.lr, betas=BETAS)
    groups = sum(len(places) for places in passes)

    def update(step: int) -> dict[str, float]:
        _set_lr(optimiser, 0.5 * (1 + math.cos(math.pi * step / settings.steps)))
        images.grad = torch.empty_like(images)
        total = 0.0
        for places in passes:
            part = images.detach()[places].requires_grad_()
            loss = losses_of(part, places, step).sum()
            (images.grad[places],) = torch.autograd.grad(loss, part)
            total += loss.item()
        optimiser.step()
        with torch.no_grad():
            images.clamp_(low, high)
        return {"loss": total / groups}

    descend(ctx, settings.steps, optimiser, update, on_divergence=settings.on_divergence)


def one_of_each_class(num_classes: int, ipc: int, most: int) -> list[Tensor]:
    """Return passes of ``most`` images, whose groups have one image of each class, or of ``most`` classes.

    They are places in a set that goes class by class.
    """
    found: list[Tensor] = []
    for classes in torch.split(torch.arange(num_classes * ipc).reshape(num_classes, ipc), most):
        found += torch.split(classes.T, max(1, most // len(classes)))
    return found


def _set_lr(optimiser: torch.optim.Optimizer, wave: float) -> None:
    """Set the step size to ``wave`` times the one at the start, which may have been halved on the way."""
    for group in optimiser.param_groups:
        group["lr"] *= wave / group.get("wave", 1.0)
        group["wave"] = wave  # kept with the optimiser's state
