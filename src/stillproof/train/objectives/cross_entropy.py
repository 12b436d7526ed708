"""Cross-entropy, of hard and of soft labels."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional as F

from stillproof.core.components import objectives
from stillproof.train.objective import LogitObjective


@objectives.register("cross-entropy", version=1)
@dataclass(frozen=True)
class CrossEntropy(LogitObjective):
    """Cross-entropy with the class of an image, or with its shares of classes where it has several."""

    def of_logits(self, logits: Tensor, targets: Tensor) -> Tensor:
        """Return the mean over images."""
        return F.cross_entropy(logits, targets)
