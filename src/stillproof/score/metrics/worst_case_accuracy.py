"""Accuracy in the worst case of all attacks."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar

from stillproof.core.components import metrics
from stillproof.core.errors import Unsupported
from stillproof.score.metric import ShareUnderAttack, UnderAttack


@metrics.register("worst-case-accuracy", version=1)
@dataclass(frozen=True)
class WorstCaseAccuracy(ShareUnderAttack):
    """The accuracy that is left if each image meets the attack that is worst for it."""

    title: ClassVar[str] = "worst case %"

    def value(self, evidence: UnderAttack) -> float:
        """Return the mean over the models."""
        known = [model.worst_case for model in evidence.models if model.worst_case is not None]
        if len(known) < len(evidence.models):
            raise Unsupported("the worst case of a model is not computed yet.")
        return fmean(known)
