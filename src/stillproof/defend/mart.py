"""MART: adversarial training that minds most the images which the network has wrong already."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.attack.base.attack import Attack
from stillproof.attack.stepping.close_start import CloseStart
from stillproof.core.components import defences
from stillproof.defend.base.defence import Defence
from stillproof.train.backward import BatchLoss
from stillproof.train.batch import Batch
from stillproof.train.training import Training

SMALLEST = 1e-12  # below which there is no logarithm
ROOM = 1e-4  # beside the probability 1, as in the authors' code


@defences.register("mart", version=1, paper="openreview:rklOg6EFwS")
@dataclass(frozen=True)
class Mart(Defence):
    """Train towards the class and away from the best wrong one, and hold answers together where the clean one is wrong.

    Its loss knows classes alone: whatever a recipe's objective is, soft labels count by the class that the set has.

    Args:
        eps: Radius of the Linf ball of the attack, in pixels of [0, 1].
        step: Step size; a quarter of eps by default.
        steps: Attack steps for every batch.
        weight: Weight of the divergence; the paper's lambda.
    """

    weight: float = 5.0

    def __post_init__(self) -> None:
        """Refuse a weight that rewards a divergence."""
        super().__post_init__()
        if self.weight < 0:
            raise ValueError(f"weight must not be negative, as {self.weight:g} is")

    @property
    def attack(self) -> Attack:
        """Return PGD from a start close to the image."""
        return CloseStart(eps=self.eps, step=self.step, steps=self.steps)

    @property
    def passes(self) -> float:
        """Return the passes of an image: one for each step, and two for the loss."""
        return self.steps + 2.0

    def begin(self, training: Training) -> BatchLoss:
        """Return the loss of a batch."""
        body = training.model.body

        def loss_of(batch: Batch) -> Tensor:
            return self.of_logits(body(batch.images), body(self.harder(training, batch)), batch.classes)

        return loss_of

    def of_logits(self, clean: Tensor, attacked: Tensor, classes: Tensor) -> Tensor:
        """Return the mean loss over images, from logits of both, (N, K)."""
        own = F.one_hot(classes, clean.shape[1]).bool()
        best_wrong = attacked.softmax(1).masked_fill(own, 0.0).amax(1)
        boosted = F.cross_entropy(attacked, classes) - (1 + ROOM - best_wrong + SMALLEST).log().mean()
        wrong = 1 - clean.softmax(1).masked_fill(~own, 0.0).sum(1)
        apart = F.kl_div(torch.log(attacked.softmax(1) + SMALLEST), clean.softmax(1), reduction="none").sum(1)
        return boosted + self.weight * (apart * wrong).mean()
