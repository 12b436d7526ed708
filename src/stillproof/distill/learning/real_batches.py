"""Random real images of one class, as methods that match real and synthetic images draw them."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.core.context import Context
from stillproof.core.types import ImageSet


class RealBatches:
    """Draws batches of one class, without replacement within a batch."""

    def __init__(self, data: ImageSet, ctx: Context, size: int) -> None:
        """Draw up to ``size`` images per batch."""
        self.data, self.ctx, self.size = data, ctx, size
        self.members = [data.of_class(label) for label in range(data.num_classes)]

    def draw(self, label: int, *moment: int) -> Tensor:
        """Return images of class ``label`` in the cell's space, on the device; ``moment`` names the draw."""
        index = self.members[label]
        order = torch.randperm(len(index), generator=self.ctx.seeds.child("real", *moment, label).torch())
        return self.ctx.into_space(self.data.read(index[order[: self.size]], self.ctx.device))
