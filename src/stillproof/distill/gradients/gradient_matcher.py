"""Compares, class by class, what real and synthetic images would change in a network."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from stillproof.core.context import Context
from stillproof.core.types import ImageSet
from stillproof.distill.learning.real_batches import RealBatches
from stillproof.nets.body import Body
from stillproof.nets.build import has_batch_norm
from stillproof.nets.chunks import shares
from stillproof.transforms.dsa import DSA

Distance = Literal["layerwise", "mse", "cos"]
Gradients = Sequence[Tensor]  # one per parameter, in the network's order

STATISTICS_IMAGES = 16  # real images per class that set the statistics of batch norms
EPSILON = 1e-6  # beside the product of two norms


class GradientMatcher:
    """The loss between real and synthetic gradients, and where it pulls the images."""

    def __init__(
        self,
        body: Body,
        loss_of: Callable[[Tensor, Tensor], Tensor],
        data: ImageSet,
        ctx: Context,
        *,
        batch_real: int,
        distance: Distance,
        augment: DSA | None,
    ) -> None:
        """Prepare to look at ``body``.

        Args:
            body: The network, whatever its weights will be.
            loss_of: Takes images and labels and returns the network's mean loss, fast; once differentiable is enough.
            data: The real images.
            ctx: The cell's context.
            batch_real: Real images per class.
            distance: How gradients are compared.
            augment: Changes the real and the synthetic images of a class alike; nothing, if None.
        """
        self.body, self.loss_of, self.ctx = body, loss_of, ctx
        self.parameters = list(body.parameters())
        self.distance, self.augment = distance, augment
        self.classes = range(data.num_classes)
        # The same number of every class, so that one compiled shape serves them all.
        smallest = int(data.labels.bincount(minlength=data.num_classes).min())
        self.real = RealBatches(data, ctx, min(batch_real, smallest))
        apart = dataclasses.replace(ctx, seeds=ctx.seeds.child("statistics"))
        self.for_statistics = RealBatches(data, apart, STATISTICS_IMAGES)

    def loss_and_gradient(self, images: Tensor, *moment: int) -> tuple[float, Tensor]:
        """Return the mean loss of a class, and the gradient of the sum of losses with respect to the images.

        Args:
            images: Synthetic images, class by class.
            moment: Names the draws.
        """
        self._set_norms(*moment)
        losses: list[Tensor] = []
        gradients: list[Tensor] = []
        # Real images are most of the work, and 256 of them fill the machine. The synthetic ones of all classes in one
        # pass would need weight gradients by class; class by class they take a twentieth of the time, and the least
        # memory: each graph is freed before the next one is made.
        for label, batch in zip(self.classes, images.detach().chunk(len(self.classes)), strict=True):
            goal = self._real_gradient(label, *moment)
            batch.requires_grad_()
            changed = self._siamese(batch, label, *moment)
            # Not by loss_of: compiled code cannot be differentiated twice.
            loss = F.cross_entropy(self.body(changed), _all(label, changed))
            found = torch.autograd.grad(loss, self.parameters, create_graph=True)
            apart = gradient_distance(self.distance, found, goal)
            gradients += torch.autograd.grad(apart, [batch])
            losses.append(apart.detach())
        return float(torch.stack(losses).mean()), torch.cat(gradients)

    def _real_gradient(self, label: int, *moment: int) -> tuple[Tensor, ...]:
        with torch.no_grad():
            batch = self._siamese(self.real.draw(label, *moment), label, *moment)
        total: tuple[Tensor, ...] = ()
        for part, truth, share in shares(self.body, batch, _all(label, batch)):
            found = torch.autograd.grad(share * self.loss_of(part, truth), self.parameters)
            total = tuple(one + other for one, other in zip(total, found, strict=True)) if total else found
        return total

    def _siamese(self, batch: Tensor, label: int, *moment: int) -> Tensor:
        """Change a batch as every other batch of its class and moment is changed."""
        if self.augment is None:
            return batch
        return self.augment.siamese(batch, self.ctx.seeds.child("dsa", *moment, label).torch())

    def _set_norms(self, *moment: int) -> None:
        """Show batch norms real images of all classes, then hold their statistics, as the original does."""
        self.body.train()
        if not has_batch_norm(self.body):
            return
        with torch.no_grad():
            self.body(torch.cat([self.for_statistics.draw(label, *moment) for label in self.classes]))
        for module in self.body.modules():
            if isinstance(module, nn.modules.batchnorm._BatchNorm):
                module.eval()


def _all(label: int, batch: Tensor) -> Tensor:
    return torch.full((len(batch),), label, device=batch.device)


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
