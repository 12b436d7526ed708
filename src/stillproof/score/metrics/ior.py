"""DD-Ranking's improvement over random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stillproof.core.components import metrics
from stillproof.score.dd_ranking import improvement_over_random
from stillproof.score.metric import LabelSides, all_known
from stillproof.score.score_of_shares import ScoreOfShares


@metrics.register("ior", version=1, paper="arXiv:2505.13300")
@dataclass(frozen=True)
class ImprovementOverRandom(ScoreOfShares[LabelSides]):
    """What distilled images gain over as many random real ones that are trained on alike."""

    title: ClassVar[str] = "IOR"
    takes: ClassVar[type] = LabelSides

    def value(self, evidence: LabelSides) -> float:
        """Return the difference of accuracies."""
        return float(improvement_over_random(*all_known(evidence.own, evidence.random)))
