"""BEARD's comprehensive robustness-efficiency index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stillproof.core.components import metrics
from stillproof.score.metric import Metric, UnderAttack
from stillproof.score.metrics.ae import AttackEfficiency
from stillproof.score.metrics.rr import RobustnessRatio
from stillproof.score.over_images import Ends
from stillproof.score.robustness import crei
from stillproof.score.under_attack import Cost


@metrics.register("crei", version=1, paper="arXiv:2411.09265", names={"crei-passes": {"cost": "passes"}})
@dataclass(frozen=True)
class Crei(Metric[UnderAttack]):
    """Robustness ratio and attack efficiency in one number.

    Args:
        alpha: The weight of the robustness ratio; the rest is that of attack efficiency.
        cost: What attacks cost: seconds, or passes to the first success.
    """

    alpha: float = 0.5
    cost: Cost = "seconds"

    title: ClassVar[str] = "CREI"
    takes: ClassVar[type] = UnderAttack

    def value(self, evidence: UnderAttack) -> float:
        """Return the weighted mean of both."""
        return crei(RobustnessRatio().value(evidence), AttackEfficiency(self.cost).value(evidence), self.alpha)

    def over_images(self, evidence: UnderAttack) -> Ends | None:
        """Return the interval of one seed over other test images: times stay as they are, and the ratio moves."""
        ratio = RobustnessRatio().over_images(evidence)
        if ratio is None:
            return None
        efficiency = AttackEfficiency(self.cost).value(evidence)
        low, high = (crei(end, efficiency, self.alpha) for end in ratio)
        return low, high
