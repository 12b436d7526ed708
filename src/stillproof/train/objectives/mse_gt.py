"""Squared error to a teacher's logits, and a little cross-entropy with the true class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from torch import Tensor, nn
from torch.nn import functional as F

from stillproof.core.components import objectives
from stillproof.train.backward import BatchLoss
from stillproof.train.labels import Form
from stillproof.train.objective import Objective
from stillproof.train.training import Training


@objectives.register("mse-gt", version=1, paper="arXiv:2311.17950, arXiv:2404.13733")
@dataclass(frozen=True)
class SquaredErrorWithTruth(Objective):
    """Mean squared error between logits and those of a teacher, plus cross-entropy with the class of the set.

    Where there are no logits, as for hard labels, the squared error is that to the labels themselves. An image that was
    mixed with another counts for its own class, as in the originals: the teacher has seen the mixture.

    Args:
        mse_weight: Weight of the squared error.
        ce_weight: Weight of the cross-entropy.
    """

    mse_weight: float = 1.0
    ce_weight: float = 0.025

    by_image = True

    def __post_init__(self) -> None:
        """Refuse weights that leave nothing to learn."""
        if min(self.mse_weight, self.ce_weight) < 0 or self.mse_weight + self.ce_weight <= 0:
            raise ValueError("mse_weight and ce_weight must not be negative, nor both be 0")

    @property
    def form(self) -> Form:
        """Return the form that targets are wanted in."""
        return "answers"

    def begin(self, training: Training) -> BatchLoss:
        """Return the loss of a batch, compiled if that repays."""
        loss_of = training.compiled(partial(_mean_loss, self, training.model.body))
        return lambda batch: loss_of(batch.images, batch.targets, batch.classes)

    def of_logits(self, logits: Tensor, targets: Tensor, classes: Tensor) -> Tensor:
        """Return the mean over images."""
        return self.mse_weight * F.mse_loss(logits, targets) + self.ce_weight * F.cross_entropy(logits, classes)


def _mean_loss(
    objective: SquaredErrorWithTruth, body: nn.Module, images: Tensor, targets: Tensor, classes: Tensor
) -> Tensor:
    return objective.of_logits(body(images), targets, classes)
