"""BEARD's robustness ratio."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stillproof.core.components import metrics
from stillproof.core.errors import Unsupported
from stillproof.score.metric import UnderAttack
from stillproof.score.over_images import Ends
from stillproof.score.robustness import robustness_ratio
from stillproof.score.score_of_shares import ScoreOfShares
from stillproof.score.under_attack import accuracies, pool_of


@metrics.register("rr", version=1, paper="arXiv:2411.09265")
@dataclass(frozen=True)
class RobustnessRatio(ScoreOfShares[UnderAttack]):
    """How much better attacks go on average than the worst of them: 0 if every attack does what the worst does."""

    title: ClassVar[str] = "RR"
    takes: ClassVar[type] = UnderAttack

    def value(self, evidence: UnderAttack) -> float:
        """Return the ratio of all models together."""
        found = accuracies(evidence.models)
        return robustness_ratio(found.clean, found.attacked, pool=pool_of(evidence, accuracies))

    def over_images(self, evidence: UnderAttack) -> Ends | None:
        """Return the interval of one seed over other test images."""
        if self.title not in evidence.ends:
            evidence.ends[self.title] = super().over_images(evidence)
        return evidence.ends[self.title]

    def moved(self, evidence: UnderAttack) -> float:
        """Return the ratio with a share elsewhere; towards attacks that take nothing away, it goes to 1 and no further.

        There it is not defined, and would be beyond all bounds before.
        """
        try:
            return min(self.value(evidence), 1.0)
        except Unsupported:
            return 1.0
