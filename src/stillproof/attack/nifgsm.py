"""NI-FGSM: momentum that looks ahead."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from stillproof.attack.mifgsm import MIFGSM
from stillproof.attack.stepping.momentum import NAME
from stillproof.attack.stepping.walk import Walk
from stillproof.core.components import attacks


@attacks.register("nifgsm", version=1, paper="arXiv:1908.06281")
@dataclass(frozen=True)
class NIFGSM(MIFGSM):
    """Take each gradient where the momentum would lead, and step along all gradients so far."""

    def gradient(self, walk: Walk) -> Tensor:
        """Return the gradient ahead.

        The place is put back within the limits, which the authors do not do: so it is an attacked image itself, and
        may fool the model.
        """
        ahead = walk.points + self.decay * self.step_size * walk.remembered(NAME)
        return walk.crafting.gradient(walk.crafting.limits.project(walk.images, ahead))
