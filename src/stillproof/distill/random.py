"""Random real images: the baseline that every other method must beat."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from stillproof.core.components import distillers
from stillproof.core.context import Context
from stillproof.core.needs import Needs
from stillproof.core.types import Distilled, ImageSet
from stillproof.distill.choosing.chosen_images import keep_images
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

    @property
    def needs(self) -> Needs:
        """Say that no network is needed, and how many images are."""
        each = images_each(1, self.form)
        whitening = "usual" if self.zca else ""
        return Needs(network=False, whitening=whitening, real_per_image=each, trained_per_image=each)

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        """Return ``ipc`` images per class."""
        index = random_positions(data, images_each(ipc, self.form), ctx)
        return keep_images(data, index, ctx, self.form)


def random_positions(data: ImageSet, ipc: int, ctx: Context, *draw: int) -> torch.Tensor:
    """Return the positions of ``ipc`` random images of each class, class by class; ``draw`` tells draws apart."""
    chosen = []
    for label in range(data.num_classes):
        index = data.of_class(label)
        order = torch.randperm(len(index), generator=ctx.seeds.child("random", *draw, label).torch())
        chosen.append(index[order[:ipc]])
    return torch.cat(chosen)
