"""A method of your own in one file: ``stillproof run accuracy --plugin median_method.py --methods random,median``."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from stillproof.plugin import Context, Distilled, ImageSet, distillers


@distillers.register("median", version=1)
@dataclass(frozen=True)
class Median:
    """Deal the images of a class into ipc random heaps and keep the median picture of each heap.

    Args:
        most: How many images of a heap are looked at.
    """

    most: int = 100

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        """Return ``ipc`` images per class."""
        pictures, labels = [], []
        for label in range(data.num_classes):
            index = data.of_class(label)
            order = torch.randperm(len(index), generator=ctx.seeds.child("heaps", label).torch())
            for heap in index[order].tensor_split(ipc):
                pictures.append(data.read(heap[: self.most]).median(0).values)  # (C, H, W), pixels
                labels.append(label)
        return ctx.distilled(ctx.into_space(torch.stack(pictures)), torch.tensor(labels), data)
