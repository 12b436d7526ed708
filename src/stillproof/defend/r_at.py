"""R-AT: PGD adversarial training with the tricks that were found to matter."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.stepping.stopped_pgd import StoppedPGD
from stillproof.core.components import defences
from stillproof.defend.base.defence import Defence
from stillproof.train.backward import BatchLoss
from stillproof.train.batch import Batch
from stillproof.train.labels import to_shares
from stillproof.train.objective import begin_base, objective_of
from stillproof.train.training import Training

RISES = (60 / 110, 100 / 110)  # shares of all passes after which the patience is one more


@defences.register("r-at", version=1, paper="arXiv:2010.00467")
@dataclass(frozen=True)
class RobustAT(Defence):
    """Train on what PGD makes of every batch: images rest soon after they are fooled, and labels are smoothed.

    The baseline R-AT of MAD, with the tricks of Bag of Tricks for Adversarial Training. Labels that are logits, or that
    were learned as values, stay as they are.

    Args:
        eps: Radius of the Linf ball of the attack, in pixels of [0, 1].
        step: Step size; a quarter of eps by default.
        steps: Attack steps for every batch.
        patience: Steps that an image still makes once it is fooled; one more after 6/11 of all passes, and another one
            after 10/11. With as many as there are steps it never rests.
        smoothing: Share of a label that goes to the other classes. The original says "moderate", which its source of
            tricks calls about 0.2.
    """

    patience: int = 0
    smoothing: float = 0.2

    def __post_init__(self) -> None:
        """Refuse labels that say nothing."""
        super().__post_init__()
        if not 0 <= self.smoothing < 1:
            raise ValueError(f"smoothing must be at least 0 and below 1, not {self.smoothing:g}")

    @property
    def attack(self) -> StoppedPGD:
        """Return PGD, under which images rest as they do in the first passes."""
        return StoppedPGD(eps=self.eps, step=self.step, steps=self.steps, patience=self.patience)

    def harder(self, training: Training, batch: Batch, attack: Attack | None = None) -> Tensor:
        """Return the batch after the attack, in the space of the network's body."""
        rises = sum(batch.epoch / training.recipe.epochs >= share for share in RISES)
        return super().harder(training, batch, attack or replace(self.attack, patience=self.patience + rises))

    def begin(self, training: Training) -> BatchLoss:
        """Return the loss of the attacked batch under smoothed labels."""
        base = begin_base(training.recipe.objective, training)

        def loss_of(batch: Batch) -> Tensor:
            return base(replace(batch, images=self.harder(training, batch), targets=self.smooth(training, batch)))

        return loss_of

    def smooth(self, training: Training, batch: Batch) -> Tensor:
        """Return the targets of a batch with a part of every class given evenly to the others."""
        form, classes = objective_of(training.recipe.objective).form, training.data.num_classes
        if form not in ("classes", "shares") or not self.smoothing:
            return batch.targets
        shares = to_shares(batch.targets, form, classes)
        return (1 - self.smoothing) * shares + self.smoothing * (1 - shares) / (classes - 1)
