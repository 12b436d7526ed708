"""Real images that a regression is to get right."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.core.context import Context
from stillproof.core.types import ImageSet
from stillproof.distill.kernels.ridge import centred
from stillproof.distill.learning.real_batches import RealBatches


class RegressionTargets:
    """Draws batches with equally many images of each class."""

    def __init__(self, data: ImageSet, ctx: Context, size: int) -> None:
        """Draw about ``size`` images per batch: of each class at least one and at most all."""
        self.classes = range(data.num_classes)
        self.real = RealBatches(data, ctx, max(1, size // data.num_classes))

    def draw(self, step: int) -> tuple[Tensor, Tensor]:
        """Return the images of a step in the cell's space, and their centred labels (t, classes)."""
        batches = [self.real.draw(label, step) for label in self.classes]
        counts = torch.tensor([len(batch) for batch in batches])
        images = torch.cat(batches)
        labels = centred(torch.arange(len(counts)).repeat_interleave(counts), len(counts))
        return images, labels.to(images.device)
