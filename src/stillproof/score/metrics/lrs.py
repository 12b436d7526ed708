"""DD-Ranking's label robust score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stillproof.core.components import metrics
from stillproof.score.dd_ranking import label_robust_score
from stillproof.score.metric import LabelSides
from stillproof.score.metrics.hlr import HardLabelRecovery
from stillproof.score.metrics.ior import ImprovementOverRandom
from stillproof.score.score_of_shares import ScoreOfShares


@metrics.register("lrs", version=1, paper="arXiv:2505.13300")
@dataclass(frozen=True)
class LabelRobustScore(ScoreOfShares[LabelSides]):
    """How much of an accuracy the images earn themselves, once soft labels are taken out; from 0 to 1.

    Args:
        weight: The weight of the gain over random images; the rest is that of what is lost with hard labels.
    """

    weight: float = 0.5

    title: ClassVar[str] = "LRS"
    takes: ClassVar[type] = LabelSides

    def value(self, evidence: LabelSides) -> float:
        """Return the score of one seed."""
        lost, gained = HardLabelRecovery().value(evidence), ImprovementOverRandom().value(evidence)
        return float(label_robust_score(lost, gained, self.weight))
