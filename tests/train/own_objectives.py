"""Plug-in objectives that use the rest of the seam: state, several losses for a batch, a fit of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof import objectives
from stillproof.train.backward import BatchLoss
from stillproof.train.batch import Batch
from stillproof.train.epochs import make_optimiser, set_lr
from stillproof.train.objective import Objective, begin_base
from stillproof.train.passes import Passes
from stillproof.train.training import Training


class Counter:
    """Counts the batches of all epochs."""

    def __init__(self) -> None:
        self.batches = 0

    def state_dict(self) -> dict[str, Any]:
        return {"batches": self.batches}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.batches = state["batches"]


@objectives.register("carried", version=1)
@dataclass(frozen=True)
class Carried(Objective):
    """Carries a perturbation of every image from epoch to epoch, and a weight from batch to batch."""

    eps: float = 0.1

    def begin(self, training: Training) -> BatchLoss:
        base = begin_base("cross-entropy", training)
        shape = training.data.read(torch.tensor([0])).shape[1:]
        noise = training.keep("perturbations", torch.zeros(len(training.data), *shape, device=training.ctx.device))
        counter = training.keep("counter", Counter())

        def loss_of(batch: Batch) -> Tensor:
            drawn = torch.randn(batch.images.shape, generator=batch.seeds.torch())
            start = noise[batch.positions] + 0.01 * drawn.to(batch.images)
            start.requires_grad_()
            (gradient,) = torch.autograd.grad(base(replace(batch, images=batch.images + start)), start)
            noise[batch.positions] = (start + self.eps / 4 * gradient.sign()).clamp(-self.eps, self.eps).detach()
            counter.batches += 1
            return base(replace(batch, images=batch.images + noise[batch.positions])) / counter.batches

        return loss_of


@objectives.register("twice", version=1)
@dataclass(frozen=True)
class Twice(Objective):
    """Wants every batch twice; the second time moved along the gradient of the first one's backward pass."""

    move: float = 0.0

    def begin(self, training: Training) -> BatchLoss:
        base = begin_base("cross-entropy", training)

        def losses(batch: Batch) -> Iterator[Tensor]:
            images = batch.images.detach().requires_grad_()
            yield base(replace(batch, images=images))
            assert images.grad is not None, "the step is made before the next loss is asked for"
            yield base(replace(batch, images=batch.images + self.move * images.grad.sign()))

        return losses


@objectives.register("reptile", version=1)
@dataclass(frozen=True)
class Reptile(Objective):
    """Owns the whole fit: in every epoch a step towards where a few quick steps lead, as meta-learning does."""

    outer: float = 0.5

    def fit(self, training: Training) -> None:
        recipe, ctx, body = training.recipe, training.ctx, training.model.body
        passes = Passes(training, "classes")
        slow = training.keep("slow weights", torch.nn.utils.parameters_to_vector(body.parameters()).detach().clone())
        for epoch in ctx.loop(recipe.epochs, name="train", **training.parts()):
            optimiser = make_optimiser(body, recipe)
            set_lr(optimiser, recipe, epoch)
            losses = []
            for batch in passes.batches(epoch, ctx.seeds.child("epoch", epoch)):
                optimiser.zero_grad()
                loss = F.cross_entropy(body(batch.images), batch.targets)
                loss.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
                losses.append(loss.item())
            fast = torch.nn.utils.parameters_to_vector(body.parameters()).detach()
            slow.lerp_(fast, self.outer)
            torch.nn.utils.vector_to_parameters(slow.clone(), body.parameters())
            training.record(epoch, sum(losses) / len(losses))
