"""DD-Ranking's augmentation robust score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stillproof.core.components import metrics
from stillproof.score.dd_ranking import augmentation_robust_score, improvement_over_random
from stillproof.score.metric import AugmentationSides, all_known
from stillproof.score.score_of_shares import ScoreOfShares


@metrics.register("ars", version=1, paper="arXiv:2505.13300")
@dataclass(frozen=True)
class AugmentationRobustScore(ScoreOfShares[AugmentationSides]):
    """How much of an accuracy the images earn themselves, once augmentation is taken out; from 0 to 1.

    Args:
        weight: The weight of the gain with augmentation; the rest is that of the gain without.
    """

    weight: float = 0.5

    title: ClassVar[str] = "ARS"
    takes: ClassVar[type] = AugmentationSides

    def value(self, evidence: AugmentationSides) -> float:
        """Return the score of one seed."""
        own_with, random_with, own_without, random_without = all_known(
            evidence.own_with, evidence.random_with, evidence.own_without, evidence.random_without
        )
        gains = improvement_over_random(own_with, random_with), improvement_over_random(own_without, random_without)
        return float(augmentation_robust_score(*gains, self.weight))
