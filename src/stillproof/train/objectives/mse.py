"""Squared error."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional as F

from stillproof.core.components import objectives
from stillproof.train.labels import Form
from stillproof.train.objective import LogitObjective


@objectives.register("mse", version=1)
@dataclass(frozen=True)
class SquaredError(LogitObjective):
    """Mean squared error between logits and one-hot or soft labels; learned labels count as they are."""

    @property
    def form(self) -> Form:
        """Return the form that targets are wanted in."""
        return "values"

    def of_logits(self, logits: Tensor, targets: Tensor) -> Tensor:
        """Return the mean over images and classes."""
        return F.mse_loss(logits, targets)
