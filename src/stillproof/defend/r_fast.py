"""R-Fast: one large step from a random start."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.stepping.stopped_pgd import StoppedPGD
from stillproof.core.components import defences
from stillproof.defend.base.defence import Defence
from stillproof.train.backward import BatchLoss
from stillproof.train.batch import Batch
from stillproof.train.objective import begin_base
from stillproof.train.training import Training

LARGE = 1.25  # times eps


@defences.register("r-fast", version=1, paper="arXiv:2001.03994")
@dataclass(frozen=True)
class RobustFast(Defence):
    """Train on every batch after one step from a random start, as Fast-AT does; the baseline R-Fast of MAD.

    Args:
        eps: Radius of the Linf ball of the attack, in pixels of [0, 1].
        step: Step size; five quarters of eps by default.
        steps: Attack steps for every batch.
        patience: Steps that an image still makes once it is fooled. With none, what is fooled by its random start stays
            there; Fast-AT itself has ``patience=1``.
    """

    steps: int = 1
    patience: int = 0

    @property
    def attack(self) -> Attack:
        """Return PGD of one large step."""
        step = LARGE * self.eps if self.step is None else self.step
        return StoppedPGD(eps=self.eps, step=step, steps=self.steps, patience=self.patience)

    def begin(self, training: Training) -> BatchLoss:
        """Return the loss of the attacked batch."""
        base = begin_base(training.recipe.objective, training)

        def loss_of(batch: Batch) -> Tensor:
            return base(replace(batch, images=self.harder(training, batch)))

        return loss_of
