"""Random real images: what every other method must beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch

from stillproof.core.components import distillers
from stillproof.core.context import Context
from stillproof.core.types import Distilled, ImageSet
from stillproof.distill.choosing.chosen_images import keep
from stillproof.distill.grids.grid import Form, images_each


@distillers.register("random", version=1)
@dataclass(frozen=True)
class RandomImages:
    """Draw real images of each class at random, without replacement.

    Args:
        zca: Keep them whitened, for comparison with methods that distil in that space.
        form: One real image in each, or four at half size, for comparison with methods that learn such grids.
    """

    zca: bool = False
    form: Form = "single"
    needs_network: ClassVar[bool] = False

    def images_each(self, ipc: int) -> int:
        """Return how many real images of a class are needed."""
        return images_each(ipc, self.form)

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        """Return ``ipc`` images a class."""
        index = random_positions(data, self.images_each(ipc), ctx)
        return keep(data, index, ctx, self.form)


def random_positions(data: ImageSet, ipc: int, ctx: Context, *draw: int) -> torch.Tensor:
    """Return the positions of ``ipc`` random images of each class, class by class; ``draw`` tells draws apart."""
    chosen = []
    for label in range(data.num_classes):
        index = data.of_class(label)
        order = torch.randperm(len(index), generator=ctx.seeds.child("random", *draw, label).torch())
        chosen.append(index[order[:ipc]])
    return torch.cat(chosen)
