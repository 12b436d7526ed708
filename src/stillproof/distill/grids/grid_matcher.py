"""How far grids of synthetic images are from real ones, seen through one network."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.core.types import ImageSet
from stillproof.distill.grids.grid import Form, decode_of, images_each
from stillproof.distill.learning.real_batches import RealBatches
from stillproof.nets.body import Body
from stillproof.nets.chunks import by_chunks
from stillproof.nets.compiled import compiled
from stillproof.transforms.decode import decode_images
from stillproof.transforms.dsa import DSA

EMBED_BATCH = 256  # real images that are embedded at once, at most

# Mean embeddings of synthetic images, means and deviations of real ones, all (classes, D) -> distance, summed.
Distance = Callable[[Tensor, Tensor, Tensor], Tensor]


class GridMatcher:
    """The loss of one step, in a network in evaluation mode: images of one batch do not change each other."""

    def __init__(
        self,
        data: ImageSet,
        body: Body,
        ctx: Context,
        distance: Distance,
        *,
        batch_real: int,
        strategy: str,
        form: Form = "grid2x2",
        flops: float,
    ) -> None:
        """Match ``batch_real`` real images per class under DSA of the strategy; ``flops`` of work lie ahead."""
        self.ctx, self.body, self.distance = ctx, body, distance
        self.num_classes = data.num_classes
        self.real = RealBatches(data, ctx, batch_real)
        self.augment, self.form = DSA(strategy), form
        self.embed = by_chunks(compiled(body.features, body, flops=flops, notes=ctx.notes), body)

    def loss(self, grids: Tensor, ce_weight: float, step: int) -> Tensor:
        """Return the distance and the weighted cross-entropy, summed over classes of equally many grids."""
        shared = [self.ctx.seeds.child("dsa", step, label) for label in range(self.num_classes)]
        mean, std = self._real_statistics(shared, step)
        cells = decode_images(grids, decode_of(self.form))
        cells = cells.reshape(images_each(1, self.form), self.num_classes, -1, *grids.shape[1:])
        batches = cells.transpose(0, 1).flatten(1, 2)  # (classes, 4 ipc or ipc, C, H, W)
        synthetic = [self.augment.siamese(batch, seed.torch()) for batch, seed in zip(batches, shared, strict=True)]
        embedded = self.embed(torch.cat(synthetic))  # (images of all classes, D)
        found = embedded.reshape(*batches.shape[:2], -1).mean(1)
        truth = torch.arange(self.num_classes, device=grids.device).repeat_interleave(batches.shape[1])
        entropy = F.cross_entropy(self.body.classifier(embedded), truth) * self.num_classes  # one mean per class
        return self.distance(found, mean, std) + ce_weight * entropy

    @torch.no_grad()
    def _real_statistics(self, shared: Sequence[Seeds], step: int) -> tuple[Tensor, Tensor]:
        means, stds = [], []
        for label, seed in enumerate(shared):
            batch = self.augment.siamese(self.real.draw(label, step), seed.torch())
            embedded = torch.cat([self.embed(part) for part in torch.split(batch, EMBED_BATCH)])
            means.append(embedded.mean(0))
            stds.append(embedded.std(0, correction=min(1, len(batch) - 1)))  # that of a single image is 0
        return torch.stack(means), torch.stack(stds)  # (classes, D) each
