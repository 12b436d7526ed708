"""Somebody else's method, in a package of its own: the brightest images of each class."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from stillproof import Context, Distilled, ImageSet, distillers


@distillers.register("brightest", version=1, paper="none")
@dataclass(frozen=True)
class Brightest:
    """Choose the images with the largest mean.

    Args:
        skip: How many of the brightest are left out.
    """

    skip: int = 0

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        """Return ``ipc`` images per class."""
        chosen = []
        for label in range(data.num_classes):
            index = data.of_class(label)
            order = data.read(index).mean((1, 2, 3)).argsort(descending=True, stable=True)
            chosen.append(index[order[self.skip : self.skip + ipc]])
        positions = torch.cat(chosen)
        mean, std = (torch.tensor(v).view(1, -1, 1, 1) for v in (data.info.mean, data.info.std))
        return ctx.distilled((data.read(positions) - mean) / std, data.labels[positions], data)
