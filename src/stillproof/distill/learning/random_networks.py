"""The loop of methods that match real and synthetic images in a freshly drawn network in every step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import torch
from torch import Tensor

from stillproof.core.context import Context
from stillproof.distill.learning.descent import OnDivergence, descend
from stillproof.nets.body import Body
from stillproof.nets.build import reinitialise


class Settings(Protocol):
    """What the loop needs of a method."""

    @property
    def steps(self) -> int:
        """Return the number of networks drawn."""
        ...

    @property
    def lr(self) -> float:
        """Return the step size on images."""
        ...

    @property
    def momentum(self) -> float:
        """Return the momentum on images."""
        ...

    @property
    def on_divergence(self) -> OnDivergence:
        """Return what to do when the loss is no longer finite."""
        ...


def frozen_network(ctx: Context) -> Body:
    """Return the network that is drawn anew in every step; its weights are not learned, so they need no gradient."""
    body = ctx.make_network().requires_grad_(False)
    assert isinstance(body, Body)
    return body


def match_in_random_networks(
    settings: Settings, images: Tensor, body: Body, ctx: Context, loss_at: Callable[[Tensor, int], Tensor]
) -> None:
    """Update the images once in each network; ``loss_at`` takes them and the step."""
    images.requires_grad_()
    optimiser = torch.optim.SGD([images], lr=settings.lr, momentum=settings.momentum)

    def update(step: int) -> dict[str, float]:
        reinitialise(body, ctx.seeds.child("network", step))
        with ctx.seeds.child("dropout", step).lent_to_torch(ctx.device):
            loss = loss_at(images, step)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        return {"loss": loss.item()}

    descend(ctx, settings.steps, optimiser, update, on_divergence=settings.on_divergence)
