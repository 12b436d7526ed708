"""Steps that ask the whole network once for several of them, and its first layer for each: YOPO."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from stillproof.attack.stepping.close_start import CloseStart
from stillproof.attack.stepping.stopped_pgd import check_patience, without_stopped
from stillproof.attack.stepping.walk import Walk
from stillproof.nets.first_layer import first_output, with_first_output


@dataclass(frozen=True)
class FirstLayerSteps(CloseStart):
    """Go away from what the model says of the clean image, with a slope that is held still behind the first layer.

    A pass through the network tells how the divergence changes with what the first layer gives: the adjoint. For
    ``inner`` steps it counts as constant, so that each of them takes a pass through the first layer alone.

    Args:
        eps: Radius of the ball, in pixels of [0, 1].
        step: Step size; a quarter of eps by default.
        steps: Number of passes through the network.
        inner: Number of steps after each.
        patience: Passes that may see an image fooled before it stays where it is.
    """

    inner: int = 3
    patience: int = 0

    def __post_init__(self) -> None:
        """Refuse a pass without steps."""
        super().__post_init__()
        check_patience(self.patience)
        if self.inner < 1:
            raise ValueError(f"inner must be at least 1, not {self.inner}")

    def gradient(self, walk: Walk) -> Tensor:
        """Return the adjoint, in the shape of what the first layer gives; zero for images that stay."""
        walk.crafting = walk.crafting.looked()
        clean = walk.crafting.clean_logits
        assert clean is not None
        with torch.enable_grad():
            logits, given = with_first_output(_network(walk), walk.points)
            apart = F.kl_div(logits.log_softmax(1), clean.log_softmax(1), reduction="sum", log_target=True)
            (adjoint,) = torch.autograd.grad(apart, given)
        return without_stopped(adjoint, walk, logits.detach(), self.patience)

    def update(self, walk: Walk, gradient: Tensor) -> Tensor:
        """Make the inner steps."""
        points, limits = walk.points, walk.crafting.limits
        for _ in range(self.inner):
            here = points.detach().requires_grad_()
            with torch.enable_grad():
                (slope,) = torch.autograd.grad((first_output(_network(walk), here) * gradient).sum(), here)
            points = limits.project(walk.images, points + self.step_size * slope.sign())
        return points


def _network(walk: Walk) -> nn.Module:
    model = walk.crafting.victim.model
    assert isinstance(model, nn.Module), "only a network has layers"
    return model
