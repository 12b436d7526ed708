"""All real images: the upper bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch

from stillproof.core.components import distillers
from stillproof.core.context import Context
from stillproof.core.needs import Needs
from stillproof.core.types import Distilled, ImageSet
from stillproof.distill.choosing.chosen_images import keep_images


@distillers.register("full", version=1)
@dataclass(frozen=True)
class FullData:
    """Keep every image, whatever number per class is asked for.

    Suites train on the data set itself instead of a copy; this is for those who want the copy as an artifact.
    """

    needs: ClassVar[Needs] = Needs(network=False)

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        """Return all images, class by class."""
        order = [data.of_class(label) for label in range(data.num_classes)]
        return keep_images(data, torch.cat(order), ctx)
