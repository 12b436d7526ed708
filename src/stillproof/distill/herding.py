"""Herding: keep the mean of the chosen images as near as possible to the mean of their class."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.core.components import distillers
from stillproof.core.context import Context
from stillproof.core.types import Distilled, ImageSet
from stillproof.distill.choosing.embeddings import Choosing, select


@distillers.register("herding", version=1, paper="doi:10.1145/1553374.1553517")
@dataclass(frozen=True)
class Herding(Choosing):
    """Add, one at a time, the image that brings the mean of the chosen nearest to the class mean.

    Args:
        embedding: Where means are taken: features of a network trained for one epoch, or raw pixels.
    """

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        """Return ``ipc`` images per class."""
        return select(data, ipc, ctx, self.embedding, herd)


def herd(points: Tensor, ipc: int, _label: int) -> Tensor:
    """Return the positions of the chosen points, in the order of choice."""
    mean = points.mean(0)
    chosen: list[int] = []
    total = torch.zeros_like(mean)
    for count in range(1, ipc + 1):
        distance = ((total + points) / count - mean).norm(dim=1)
        distance[chosen] = float("inf")
        chosen.append(int(distance.argmin()))
        total += points[chosen[-1]]
    return torch.tensor(chosen)
