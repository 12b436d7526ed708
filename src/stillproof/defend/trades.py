"""TRADES: the loss on clean images, and how far an attack can move what the network says of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional as F

from stillproof.attack.base.attack import Attack
from stillproof.attack.tpgd import TPGD
from stillproof.core.components import defences
from stillproof.defend.base.defence import Defence
from stillproof.train.backward import BatchLoss
from stillproof.train.batch import Batch
from stillproof.train.objective import begin_base
from stillproof.train.training import Training


@defences.register("trades", version=1, paper="arXiv:1901.08573")
@dataclass(frozen=True)
class Trades(Defence):
    """Trade accuracy for robustness: the loss of clean images + beta * KL(clean answers || attacked answers).

    The attack makes that divergence large, from a start close to the image; labels play no part in it.

    Args:
        eps: Radius of the Linf ball of the attack, in pixels of [0, 1].
        step: Step size; a quarter of eps by default.
        steps: Attack steps for every batch.
        beta: Weight of the divergence.
    """

    beta: float = 6.0

    def __post_init__(self) -> None:
        """Refuse a weight that rewards a divergence."""
        super().__post_init__()
        if self.beta < 0:
            raise ValueError(f"beta must not be negative, as {self.beta:g} is")

    @property
    def attack(self) -> Attack:
        """Return PGD on the divergence."""
        return TPGD(eps=self.eps, step=self.step, steps=self.steps)

    @property
    def passes(self) -> float:
        """Return the passes of an image: one for each step, a forward one before them, three for the loss."""
        return self.steps + 1 / 3 + 3.0

    def begin(self, training: Training) -> BatchLoss:
        """Return the loss of both terms."""
        loss_of = self.begin_both(training)
        return lambda batch: loss_of(batch, self.harder(training, batch))

    def begin_both(self, training: Training) -> Callable[[Batch, Tensor], Tensor]:
        """Return the loss of a batch and its attacked images.

        Both sides of the divergence are trained, as in the authors' code.
        """
        base, body = begin_base(training.recipe.objective, training), training.model.body

        def loss_of(batch: Batch, harder: Tensor) -> Tensor:
            attacked, clean = body(harder), body(batch.images)
            divergence = F.kl_div(attacked.log_softmax(1), clean.softmax(1), reduction="batchmean")
            return base(batch) + self.beta * divergence

        return loss_of
