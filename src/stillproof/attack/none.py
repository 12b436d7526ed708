"""No attack: the images as they are, to see what the surroundings of an attack do by themselves."""

from __future__ import annotations

from dataclasses import dataclass

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.crafting import Crafting
from stillproof.core.components import attacks


@attacks.register("none", version=1)
@dataclass(frozen=True)
class NoAttack(Attack):
    """Change nothing but what the limits do to an image: nothing, to pixels in [0, 1]."""

    @property
    def passes(self) -> float:
        """Return 2: the clean image, and the same again within the limits."""
        return 2

    def craft(self, crafting: Crafting) -> None:
        """Give back the images."""
        crafting.finish(crafting.limits.project(crafting.images, crafting.images))
