"""FGSM: one step in the direction of the gradient's sign."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from stillproof.attack.stepping.step_attack import StepAttack
from stillproof.attack.stepping.walk import Walk
from stillproof.core.components import attacks


@attacks.register("fgsm", version=1, paper="arXiv:1412.6572")
@dataclass(frozen=True)
class FGSM(StepAttack):
    """Move every pixel by eps against the true class.

    Args:
        eps: Size of the step, in pixels of [0, 1].
    """

    def update(self, walk: Walk, gradient: Tensor) -> Tensor:
        """Go the whole way."""
        return walk.points + self.eps * gradient.sign()
