"""Cross-entropy with a teacher's softened answers."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from stillproof.core.components import objectives
from stillproof.train.labels import Form
from stillproof.train.objective import LogitObjective


@objectives.register("soft-cross-entropy", version=1, paper="arXiv:2505.13300")
@dataclass(frozen=True)
class SoftCrossEntropy(LogitObjective):
    """Cross-entropy of a network's softened answers with those of a teacher, as DD-Ranking's ``sce``.

    Its gradient is that of ``kl``; its value also counts how unsure the teacher is.

    Args:
        temperature: Divides the logits of both sides.
    """

    temperature: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what softens nothing."""
        if self.temperature <= 0:
            raise ValueError(f"temperature must be positive, not {self.temperature}")

    @property
    def form(self) -> Form:
        """Return the form that targets are wanted in: the temperature divides logits."""
        return "logits"

    def of_logits(self, logits: Tensor, targets: Tensor) -> Tensor:
        """Return -sum softmax(targets) log softmax(logits), the mean over images."""
        logits, targets = logits / self.temperature, targets / self.temperature
        return -(targets.softmax(1) * logits.log_softmax(1)).sum(1).mean()
