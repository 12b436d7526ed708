"""BIM: FGSM in small steps."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from stillproof.attack.stepping.step_attack import IteratedAttack
from stillproof.attack.stepping.walk import Walk
from stillproof.core.components import attacks


@attacks.register("bim", version=1, paper="arXiv:1607.02533")
@dataclass(frozen=True)
class BIM(IteratedAttack):
    """Move every pixel by a small step against the true class, again and again, from the image itself."""

    def update(self, walk: Walk, gradient: Tensor) -> Tensor:
        """Make a step."""
        return walk.points + self.step_size * gradient.sign()
