"""Cross-entropy with a teacher's softened answers."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional as F

from stillproof.core.components import objectives
from stillproof.train.objectives.softened import Softened


@objectives.register("soft-cross-entropy", version=1, paper="arXiv:2505.13300")
@dataclass(frozen=True)
class SoftCrossEntropy(Softened):
    """Cross-entropy of a network's softened answers with those of a teacher, as DD-Ranking's ``sce``.

    Its gradient is that of ``kl``; its value also counts how unsure the teacher is.

    Args:
        temperature: Divides the logits of both sides.
    """

    def of_logits(self, logits: Tensor, targets: Tensor) -> Tensor:
        """Return -sum softmax(targets) log softmax(logits), the mean over images."""
        return F.cross_entropy(logits / self.temperature, (targets / self.temperature).softmax(1))
