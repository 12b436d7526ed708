"""The loop of methods that recover images from a trained network: every batch by itself, all of them step by step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import torch
from torch import Tensor

from stillproof.core.context import Context
from stillproof.distill.learning.descent import OnDivergence, descend
from stillproof.distill.teaching.teacher import pixel_range

BETAS = (0.5, 0.9)  # of Adam

# Takes images of one batch, their places in the set, the step and the number of the batch.
BatchLoss = Callable[[Tensor, Tensor, int, int], Tensor]


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


def recover(settings: Settings, images: Tensor, batches: Sequence[Tensor], ctx: Context, loss_of: BatchLoss) -> None:
    """Update the images, class by class in the cell's space, by Adam with a step size that falls in a cosine.

    Batches know nothing of each other, since the statistics are of one batch. The original recovers one after another;
    here all take a step before any takes the next one, which is the same (Adam looks at each value by itself), and has
    whole sets on the way. After every step, images are cut to what pixels can be.

    Args:
        settings: The method.
        images: Where they start; they are changed in place.
        batches: The places of each batch's images.
        ctx: The cell's context.
        loss_of: Gives the loss of a batch.
    """
    low, high = pixel_range(ctx, images.shape[1])
    images.requires_grad_()
    optimiser = torch.optim.Adam([images], lr=settings.lr, betas=BETAS)

    def update(step: int) -> dict[str, float]:
        _set_lr(optimiser, 0.5 * (1 + math.cos(math.pi * step / settings.steps)))
        gradient = torch.empty_like(images)
        total = 0.0
        for number, places in enumerate(batches):
            batch = images.detach()[places].requires_grad_()
            loss = loss_of(batch, places, step, number)
            (gradient[places],) = torch.autograd.grad(loss, batch)
            total += loss.item()
        images.grad = gradient
        optimiser.step()
        with torch.no_grad():
            images.clamp_(low, high)
        return {"loss": total / len(batches)}

    descend(ctx, settings.steps, optimiser, update, on_divergence=settings.on_divergence)


def one_of_each_class(num_classes: int, ipc: int, most: int) -> list[Tensor]:
    """Return the places of batches that have one image of each class, or of ``most`` classes, in a set by classes."""
    places = torch.arange(num_classes * ipc).reshape(num_classes, ipc)
    return [part for column in places.T for part in column.split(most)]


def _set_lr(optimiser: torch.optim.Optimizer, wave: float) -> None:
    """Set the step size to ``wave`` times the one at the start, which may have been halved on the way."""
    for group in optimiser.param_groups:
        group["lr"] *= wave / group.get("wave", 1.0)
        group["wave"] = wave  # kept with the optimiser's state
