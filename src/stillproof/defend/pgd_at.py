"""PGD-AT: train on what PGD makes of every batch."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.pgd import PGD
from stillproof.core.components import defences
from stillproof.defend.base.defence import Defence
from stillproof.train.backward import BatchLoss
from stillproof.train.batch import Batch
from stillproof.train.objective import begin_base
from stillproof.train.training import Training


@defences.register("pgd-at", version=1, paper="arXiv:1706.06083")
@dataclass(frozen=True)
class PGDTraining(Defence):
    """Train on attacked images in place of the images, as BEARD's ``PGD_AT(Src)``.

    BEARD's code begins at the image, and has a step of 2/225: ``pgd-at:random_start=false:step=2/225``.

    Args:
        eps: Radius of the Linf ball of the attack, in pixels of [0, 1].
        step: Step size; a quarter of eps by default.
        steps: Attack steps for every batch.
        random_start: Whether the steps start at a random point of the ball instead of at the image.
    """

    random_start: bool = True

    @property
    def attack(self) -> Attack:
        """Return PGD."""
        return PGD(eps=self.eps, step=self.step, steps=self.steps, random_start=self.random_start)

    def begin(self, training: Training) -> BatchLoss:
        """Return the loss of the attacked batch."""
        base = begin_base(training.recipe.objective, training)

        def loss_of(batch: Batch) -> Tensor:
            return base(replace(batch, images=self.harder(training, batch)))

        return loss_of
