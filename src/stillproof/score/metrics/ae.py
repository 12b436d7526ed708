"""BEARD's attack efficiency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stillproof.core.components import metrics
from stillproof.score.metric import Metric, UnderAttack
from stillproof.score.robustness import attack_efficiency
from stillproof.score.under_attack import COSTS, Cost, pool_of


@metrics.register("ae", version=1, paper="arXiv:2411.09265", names={"ae-passes": {"cost": "passes"}})
@dataclass(frozen=True)
class AttackEfficiency(Metric[UnderAttack]):
    """How much of the longest attack's time the average one takes: large where even the quicker attacks are slow.

    Args:
        cost: What attacks cost: seconds, or passes to the first success, which are the same on every machine.
    """

    cost: Cost = "seconds"

    title: ClassVar[str] = "AE"
    takes: ClassVar[type] = UnderAttack

    def value(self, evidence: UnderAttack) -> float:
        """Return the efficiency of all attacks on all models together."""
        found = COSTS[self.cost](evidence.models)
        return attack_efficiency(found.clean, found.attacked, pool=pool_of(evidence, COSTS[self.cost]))
