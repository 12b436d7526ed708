"""DD-Ranking's hard label recovery."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stillproof.core.components import metrics
from stillproof.score.dd_ranking import hard_label_recovery
from stillproof.score.metric import LabelSides, all_known
from stillproof.score.score_of_shares import ScoreOfShares


@metrics.register("hlr", version=1, paper="arXiv:2505.13300")
@dataclass(frozen=True)
class HardLabelRecovery(ScoreOfShares[LabelSides]):
    """What distilled images lose against all real ones when both have hard labels; lower is better."""

    title: ClassVar[str] = "HLR"
    takes: ClassVar[type] = LabelSides

    def value(self, evidence: LabelSides) -> float:
        """Return the difference of accuracies."""
        return float(hard_label_recovery(*all_known(evidence.real, evidence.hard)))
