"""The divergence from a teacher's softened answers."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional as F

from stillproof.core.components import objectives
from stillproof.train.labels import Form
from stillproof.train.objective import LogitObjective


@objectives.register("kl", version=1, paper="arXiv:1503.02531")
@dataclass(frozen=True)
class Divergence(LogitObjective):
    """KL divergence of a network's softened answers from those of a teacher.

    Args:
        temperature: Divides the logits of both sides.
        scale: Whether the loss is multiplied by the squared temperature, so that its gradient does not shrink with it.
    """

    temperature: float = 1.0
    scale: bool = False

    def __post_init__(self) -> None:
        """Refuse what softens nothing."""
        if self.temperature <= 0:
            raise ValueError(f"temperature must be positive, not {self.temperature}")

    @property
    def form(self) -> Form:
        """Return the form that targets are wanted in: the temperature divides logits."""
        return "logits"

    def of_logits(self, logits: Tensor, targets: Tensor) -> Tensor:
        """Return KL(softmax(targets) || softmax(logits)), the mean over images."""
        logits, targets = logits / self.temperature, targets / self.temperature
        loss = F.kl_div(logits.log_softmax(1), targets.softmax(1), reduction="batchmean")
        return loss * self.temperature**2 if self.scale else loss
