"""PGD-AT as a term of the loss: attacked images beside clean ones."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import Tensor

from stillproof.core.components import defences
from stillproof.defend.pgd_at import PGDTraining
from stillproof.train.backward import BatchLoss
from stillproof.train.batch import Batch
from stillproof.train.objective import begin_base
from stillproof.train.training import Training


@defences.register("pgd-at-loss", version=1, paper="arXiv:2411.09265")
@dataclass(frozen=True)
class PGDLoss(PGDTraining):
    """Train on images and on what PGD makes of them, as BEARD's ``PGD_AT(Loss)``; a reconstruction.

    BEARD does not publish the weights of the two terms. Halves are those of the first paper on adversarial training.

    Args:
        eps: Radius of the Linf ball of the attack, in pixels of [0, 1].
        step: Step size; a quarter of eps by default.
        steps: Attack steps for every batch.
        random_start: Whether the steps start at a random point of the ball instead of at the image.
        attacked: Weight of the attacked images; the clean ones have the rest of 1.
    """

    attacked: float = 0.5

    def __post_init__(self) -> None:
        """Refuse a weight that is none."""
        super().__post_init__()
        if not 0 < self.attacked <= 1:
            raise ValueError(f"attacked must be above 0 and at most 1, not {self.attacked:g}")

    @property
    def passes(self) -> float:
        """Return the passes of an image: one for each step, and two for the loss."""
        return self.steps + 2.0

    def begin(self, training: Training) -> BatchLoss:
        """Return the weighted loss of both."""
        base = begin_base(training.recipe.objective, training)

        def loss_of(batch: Batch) -> Tensor:
            attacked = base(replace(batch, images=self.harder(training, batch)))
            return self.attacked * attacked + (1 - self.attacked) * base(batch)

        return loss_of
