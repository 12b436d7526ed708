"""Accuracy before any attack."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar

from stillproof.core.components import metrics
from stillproof.score.metric import ShareUnderAttack, UnderAttack
from stillproof.score.under_attack import accuracies


@metrics.register("clean-accuracy", version=1)
@dataclass(frozen=True)
class CleanAccuracy(ShareUnderAttack):
    """The share of the images to be attacked that a model has right as they are."""

    title: ClassVar[str] = "clean %"

    def value(self, evidence: UnderAttack) -> float:
        """Return the mean over the models."""
        return fmean(accuracies(evidence.models).clean)
