"""R-Free: every gradient moves the weights and the images at once, so that the attack comes for free."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.limits import Limits
from stillproof.attack.base.norms import by_image
from stillproof.attack.base.victim import frozen
from stillproof.attack.stepping.stopped_pgd import StoppedPGD, check_patience
from stillproof.core.components import defences
from stillproof.defend.base.defence import Defence
from stillproof.train.backward import BatchLoss
from stillproof.train.batch import Batch
from stillproof.train.objective import begin_base
from stillproof.train.training import Training


@defences.register("r-free", version=1, paper="arXiv:1904.12843")
@dataclass(frozen=True)
class RobustFree(Defence):
    """Replay every batch several times, each with a step of the optimiser and one of the images, as Free-AT does.

    The baseline R-Free of MAD. What has moved the images of a batch is where those of the next one begin, row by row.
    One gradient serves both, so that batch norms are those of training; whether an image is fooled is seen with them at
    rest, for a forward pass more.

    Args:
        eps: Radius of the Linf ball of the attack, in pixels of [0, 1].
        step: Step size of the images; eps by default.
        steps: Replays of every batch; a recipe's epochs count the batches once.
        patience: Steps that an image still makes once it is fooled; with as many as there are replays, as in Free-AT
            itself, it never rests and is not looked at.
    """

    steps: int = 8
    patience: int = 0

    by_image = False  # what is carried on belongs to the rows of whole batches

    def __post_init__(self) -> None:
        """Refuse a batch that is never seen."""
        super().__post_init__()
        check_patience(self.patience)
        if self.steps < 1:
            raise ValueError(f"steps must be at least 1, not {self.steps}")

    @property
    def attack(self) -> Attack:
        """Return the step of one replay, from the image itself."""
        return StoppedPGD(eps=self.eps, step=self._step, steps=1, random_start=False, patience=max(1, self.patience))

    @property
    def passes(self) -> float:
        """Return the passes of an image: one for each replay, and forward once more where it may rest."""
        return self.steps * (4 / 3 if self._rests else 1.0)

    @property
    def _step(self) -> float:
        return self.eps if self.step is None else self.step

    @property
    def _rests(self) -> bool:
        return self.patience < self.steps

    def begin(self, training: Training) -> BatchLoss:
        """Return the losses of a batch, one for each replay."""
        base, limits = begin_base(training.recipe.objective, training), Limits("Linf", self.eps)
        carried = training.keep("perturbation", _nothing_yet(training))

        def losses_of(batch: Batch) -> Iterator[Tensor]:
            pixels = training.to_pixels(batch.images).detach()
            own = carried[: len(batch)]
            fooled = torch.zeros_like(batch.classes)
            for _ in range(self.steps):
                points = limits.project(pixels, pixels + own).requires_grad_()
                if self._rests:
                    fooled += _said(training, points) != batch.classes
                yield base(replace(batch, images=training.model.front(points)))
                assert points.grad is not None
                move = (self._step * points.grad.sign()).masked_fill(by_image(fooled > self.patience, points), 0.0)
                own.copy_(limits.project(pixels, points.detach() + move) - pixels)

        return losses_of


def _nothing_yet(training: Training) -> Tensor:
    """Return zeros for the images of the largest batch."""
    recorded = training.data.source.order(0)
    rows = max(map(len, recorded)) if recorded else min(training.recipe.batch, len(training.data))
    image = training.data.read(torch.zeros(1, dtype=torch.int64))
    return torch.zeros_like(image).repeat(rows, 1, 1, 1)


def _said(training: Training, pixels: Tensor) -> Tensor:
    with torch.no_grad(), frozen(training.model, mode=False):
        said: Tensor = training.model(pixels).argmax(1)
    return said
