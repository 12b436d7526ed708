"""TRS: a network whose loss is flat around its images, and whose attacks do not carry over to each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.core.components import defences
from stillproof.defend.pgd_at import PGDTraining
from stillproof.train.backward import BatchLoss
from stillproof.train.batch import Batch
from stillproof.train.objective import begin_base
from stillproof.train.training import Training

SMALLEST = 1e-12  # of a gradient's length, below which it has no direction


@defences.register("trs", version=1, paper="arXiv:2104.00671")
@dataclass(frozen=True)
class Trs(PGDTraining):
    """Train for flat losses and gradients of different directions at several attacked images; a reconstruction.

    TRS was made for ensembles: the gradients of two networks at one image shall not be alike, and short. One network
    has no other to differ from. BEARD takes several PGD examples of each image instead, and publishes no constants:
    here the gradients at them, in pixels, shall have different directions (mean absolute cosine over pairs) and be
    short (the longest). Both weights are ours.

    Args:
        eps: Radius of the Linf ball of the attack, in pixels of [0, 1].
        step: Step size; a quarter of eps by default.
        steps: Number of steps for each example.
        random_start: Whether the steps begin anywhere in the ball; without it all examples are one.
        examples: Number of examples of each image.
        diversity: Weight of the directions' likeness.
        smoothness: Weight of the gradients' length.
    """

    examples: int = 2
    diversity: float = 1.0
    smoothness: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what leaves nothing to compare."""
        super().__post_init__()
        if self.examples < 2 or not self.random_start:
            raise ValueError(f"examples must be at least 2, from random starts, not {self.examples}")
        if min(self.diversity, self.smoothness) < 0:
            raise ValueError("diversity and smoothness must not be negative")

    @property
    def passes(self) -> float:
        """Return the passes of an image: the steps, one for its loss, three for each gradient that is trained."""
        return self.examples * (self.steps + 3.0) + 1.0

    def begin(self, training: Training) -> BatchLoss:
        """Return the loss of clean images with both terms."""
        base = begin_base(training.recipe.objective, training)

        def loss_of(batch: Batch) -> Tensor:
            gradients = []
            for number in range(self.examples):
                drawn = replace(batch, seeds=batch.seeds.child("example", number))
                gradients.append(_gradient(training, self.harder(training, drawn), batch.classes))
            return base(batch) + self.of_gradients(gradients)

        return loss_of

    def of_gradients(self, gradients: list[Tensor]) -> Tensor:
        """Return the weighted terms, means over images, of flat gradients (N, D), one for each example."""
        directions = [F.normalize(gradient, dim=1, eps=SMALLEST) for gradient in gradients]
        alike = [(one * other).sum(1).abs() for one, other in combinations(directions, 2)]
        lengths = torch.stack([gradient.norm(dim=1) for gradient in gradients]).amax(0)
        return self.diversity * torch.stack(alike).mean() + self.smoothness * lengths.mean()


def _gradient(training: Training, images: Tensor, classes: Tensor) -> Tensor:
    """Return each image's gradient of the cross-entropy in pixels, (N, D), which can itself be differentiated."""
    pixels = training.to_pixels(images).detach().requires_grad_()
    losses = F.cross_entropy(training.model(pixels), classes, reduction="sum")
    (gradient,) = torch.autograd.grad(losses, pixels, create_graph=True)
    return gradient.flatten(1)
