"""MI-FGSM: small steps with momentum."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from stillproof.attack.stepping.momentum import with_momentum
from stillproof.attack.stepping.step_attack import IteratedAttack
from stillproof.attack.stepping.walk import Walk
from stillproof.core.components import attacks


@attacks.register("mifgsm", version=1, paper="arXiv:1710.06081")
@dataclass(frozen=True)
class MIFGSM(IteratedAttack):
    """Take steps along the gradients accumulated over all steps so far.

    Args:
        eps: Radius of the ball, in pixels of [0, 1].
        step: Step size; a quarter of eps by default.
        steps: Number of steps.
        decay: Decay of the momentum with each step.
    """

    decay: float = 1.0

    def update(self, walk: Walk, gradient: Tensor) -> Tensor:
        """Make a step."""
        return walk.points + self.step_size * with_momentum(walk, gradient, self.decay).sign()
