"""Greedy k-center: cover each class by repeatedly adding the image farthest from those chosen."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.core.components import distillers
from stillproof.core.context import Context
from stillproof.core.types import Distilled, ImageSet
from stillproof.distill.choosing.embeddings import Choosing, select


@distillers.register("k-center-greedy", version=1, paper="arXiv:1708.00489, arXiv:2006.05929")
@dataclass(frozen=True)
class GreedyKCenter(Choosing):
    """Start from the image nearest to the class mean, then add the farthest from its nearest centre.

    Args:
        embedding: Where distances are taken: features of a network trained for one epoch, or raw pixels.
    """

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        """Return ``ipc`` images per class."""
        return select(data, ipc, ctx, self.embedding, greedy_centres)


def greedy_centres(points: Tensor, ipc: int, _label: int) -> Tensor:
    """Return the positions of the centres."""
    chosen = [int((points - points.mean(0)).norm(dim=1).argmin())]
    nearest = (points - points[chosen[0]]).norm(dim=1)  # distance of each point to its nearest centre
    nearest[chosen[0]] = -1.0
    while len(chosen) < ipc:
        chosen.append(int(nearest.argmax()))
        nearest = torch.minimum(nearest, (points - points[chosen[-1]]).norm(dim=1))
        nearest[chosen] = -1.0  # a twin of a centre may be chosen, a centre itself not
    return torch.tensor(chosen)
