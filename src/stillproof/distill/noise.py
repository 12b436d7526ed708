"""Pure noise: what a network learns from images without information."""

from __future__ import annotations

from dataclasses import dataclass

from stillproof.core.components import distillers
from stillproof.core.context import Context
from stillproof.core.needs import Needs
from stillproof.core.types import Distilled, ImageSet
from stillproof.distill.learning.first_images import initial_images


@distillers.register("noise", version=1)
@dataclass(frozen=True)
class Noise:
    """Draw every value of every image from a standard normal distribution; no real image is used."""

    needs = Needs(network=False)

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        """Return ``ipc`` images per class."""
        images, labels = initial_images(data, ipc, ctx, "noise")
        return ctx.distilled(images, labels, data)
