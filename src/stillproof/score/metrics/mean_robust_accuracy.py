"""Accuracy under attack, on average over attacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stillproof.core.components import metrics
from stillproof.score.metric import ShareUnderAttack, UnderAttack
from stillproof.score.robustness import mean_accuracy
from stillproof.score.under_attack import accuracies


@metrics.register("mean-robust-accuracy", version=1)
@dataclass(frozen=True)
class MeanRobustAccuracy(ShareUnderAttack):
    """The mean accuracy over all attacks on all models."""

    title: ClassVar[str] = "mean under attack %"

    def value(self, evidence: UnderAttack) -> float:
        """Return the mean over the attacks."""
        return mean_accuracy(accuracies(evidence.models).attacked)
