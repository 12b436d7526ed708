"""DeepFool as torchattacks has it: every step begins where the one before was clamped to."""

from __future__ import annotations

from dataclasses import dataclass

from stillproof.attack.base.crafting import Crafting
from stillproof.attack.deepfool import DeepFool


@dataclass(frozen=True)
class ClampedDeepFool(DeepFool):
    """Go over the nearest border, overshoot with each step, and clamp to [0, 1] after it."""

    nearest = False  # what an image was moved to counts, fooled or not

    def craft(self, crafting: Crafting) -> None:
        """Make steps with the images that have not crossed a border yet; those that were wrong stay as they are."""
        crafting = crafting.looked()
        crafting = crafting.only(crafting.unfooled())
        points = crafting.images
        for _ in range(self.steps):
            if not len(crafting):
                return
            rivals = self._rivals(crafting)
            gradients, logits = crafting.jacobian(points, rivals)
            way = self._to_border(gradients, logits.gather(1, rivals)).view_as(points)
            points = (points + (1 + self.overshoot) * way).clamp(0, 1)
            crafting.logits(points)
            kept = crafting.unfooled()
            crafting, points = crafting.only(kept), points[kept]
