"""A plug-in: training on images that one FGSM step has made harder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import torch
from torch import Tensor

from stillproof import objectives
from stillproof.train.backward import BatchLoss
from stillproof.train.batch import Batch
from stillproof.train.labels import Form
from stillproof.train.objective import Objective, begin_base, objective_of
from stillproof.train.training import Training


@objectives.register("fgsm-training", version=1, paper="arXiv:1412.6572")
@dataclass(frozen=True)
class FGSMTraining(Objective):
    """Train on every batch after one step against it, in pixels.

    Args:
        eps: Size of the step, in pixels of [0, 1].
        base: The objective that the step works against, and that is trained.
    """

    eps: float = 8 / 255
    base: str = "cross-entropy"

    references: ClassVar[Mapping[str, str]] = {"base": "objectives"}

    def __post_init__(self) -> None:
        """Refuse a step that leads nowhere."""
        if self.eps <= 0:
            raise ValueError(f"eps must be positive, not {self.eps}")

    @property
    def form(self) -> Form:
        """Return the form that the base wants."""
        return objective_of(self.base).form

    @property
    def passes(self) -> float:
        """Say that every image goes through the network twice."""
        return 2 * objective_of(self.base).passes

    def begin(self, training: Training) -> BatchLoss:
        """Return the loss of the attacked batch."""
        base, front = begin_base(self.base, training), training.model.front

        def loss_of(batch: Batch) -> Tensor:
            pixels = training.to_pixels(batch.images)
            moved = pixels.detach().requires_grad_()
            (gradient,) = torch.autograd.grad(base(replace(batch, images=front(moved))), moved)
            harder = pixels + self.eps * gradient.sign()
            # Pixels of distilled sets may lie outside [0, 1]; the step takes none further out.
            harder = torch.minimum(torch.maximum(harder, pixels.clamp(max=0)), pixels.clamp(min=1))
            return base(replace(batch, images=front(harder)))

        return loss_of
