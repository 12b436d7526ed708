"""The divergence from a teacher's softened answers."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional as F

from stillproof.core.components import objectives
from stillproof.train.objectives.softened import Softened


@objectives.register("kl", version=1, paper="arXiv:1503.02531")
@dataclass(frozen=True)
class Divergence(Softened):
    """KL divergence of a network's softened answers from those of a teacher.

    Args:
        temperature: Divides the logits of both sides.
        scale: Whether the loss is multiplied by the squared temperature, so that its gradient does not shrink with it.
    """

    scale: bool = False

    def of_logits(self, logits: Tensor, targets: Tensor) -> Tensor:
        """Return KL(softmax(targets) || softmax(logits)), the mean over images."""
        logits, targets = logits / self.temperature, targets / self.temperature
        loss = F.kl_div(logits.log_softmax(1), targets.softmax(1), reduction="batchmean")
        return loss * self.temperature**2 if self.scale else loss
