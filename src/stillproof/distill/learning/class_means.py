"""How far the class means of synthetic images are from those of real ones, under a network's description of them."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from stillproof.core.context import Context
from stillproof.core.types import ImageSet
from stillproof.distill.learning.real_batches import RealBatches
from stillproof.nets.body import Body
from stillproof.nets.build import has_batch_norm
from stillproof.nets.chunks import by_chunks
from stillproof.nets.compiled import compiled
from stillproof.transforms.dsa import DSA


class ClassMeans:
    """Compares real and synthetic images of each class under the same random change."""

    def __init__(
        self,
        describe: Callable[[Tensor], Tensor],
        body: Body,
        data: ImageSet,
        ctx: Context,
        *,
        batch_real: int,
        steps: int,
        strategy: str,
    ) -> None:
        """Prepare for ``steps`` comparisons under DSA; ``describe`` takes images to vectors (N, D) through ``body``."""
        self.ctx = ctx
        self.classes = range(data.num_classes)
        self.real = RealBatches(data, ctx, batch_real)
        self.augment = DSA(strategy)
        # Batch statistics must be those of all classes together; other norms look at one image at a time.
        self.together = has_batch_norm(body)
        flops = ctx.forward_flops * steps * batch_real * data.num_classes
        self.describe = by_chunks(compiled(describe, body, flops=flops, notes=ctx.notes), body)

    def loss(self, images: Tensor, step: int) -> Tensor:
        """Return the summed squared distance of class means; ``images`` go class by class, equally many of each."""
        shared = [self.ctx.seeds.child("dsa", step, label) for label in self.classes]
        batches = images.chunk(len(self.classes))
        synthetic = [self.augment.siamese(batch, seed.torch()) for batch, seed in zip(batches, shared, strict=True)]
        with torch.no_grad():
            real = [self.augment.siamese(self.real.draw(c, step), shared[c].torch()) for c in self.classes]
            goal = self._real_means(real)
        described = self.describe(torch.cat(synthetic))  # (classes * ipc, D)
        found = described.reshape(len(self.classes), -1, described.shape[1]).mean(1)
        return (goal - found).square().sum()

    def _real_means(self, real: list[Tensor]) -> Tensor:
        if self.together:
            described = torch.split(self.describe(torch.cat(real)), [len(batch) for batch in real])
        else:
            described = tuple(self.describe(batch) for batch in real)
        return torch.stack([part.mean(0) for part in described])  # (classes, D)
