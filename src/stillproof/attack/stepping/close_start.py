"""Steps that begin close to the image, as several defences let them."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from stillproof.attack.base.crafting import Crafting
from stillproof.attack.bim import BIM

CLOSE = 0.001  # standard deviation of the start, in pixels of [0, 1]: enough where the gradient at the image is zero


@dataclass(frozen=True)
class CloseStart(BIM):
    """BIM from a point close to the image."""

    def start(self, crafting: Crafting) -> Tensor:
        """Return a point close to the image."""
        images = crafting.images
        noise = crafting.streams.normal(images.shape[1:], "start").to(images)
        return crafting.limits.project(images, images + CLOSE * noise)
