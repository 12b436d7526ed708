"""R+FGSM: a random step first, then steps up the gradient."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from stillproof.attack.base.crafting import Crafting
from stillproof.attack.bim import BIM
from stillproof.core.components import attacks


@attacks.register("rfgsm", version=1, paper="arXiv:1705.07204")
@dataclass(frozen=True)
class RFGSM(BIM):
    """Move every pixel by one step at random, then by small steps against the true class."""

    def start(self, crafting: Crafting) -> Tensor:
        """Return the images after a random step."""
        signs = crafting.streams.normal(crafting.images.shape[1:], "start").sign().to(crafting.images)
        return crafting.limits.project(crafting.images, crafting.images + self.step_size * signs)
