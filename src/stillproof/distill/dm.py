"""Distribution matching: make the mean synthetic embedding of each class equal the real one, in random networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from stillproof.core.components import distillers, recipes
from stillproof.core.context import Context
from stillproof.core.presets import Preset
from stillproof.core.types import Distilled, ImageSet
from stillproof.distill.descent import OnDivergence
from stillproof.distill.initial import Init, initial_images
from stillproof.distill.random_networks import frozen_network, match_in_random_networks
from stillproof.distill.real_batches import RealBatches
from stillproof.nets.body import Body
from stillproof.nets.build import has_batch_norm
from stillproof.train.compiled import compiled
from stillproof.transforms.dsa import DSA


@distillers.register("dm", version=1, paper="arXiv:2110.04181")
@dataclass(frozen=True)
class DistributionMatching:
    """Match class means of embeddings under freshly drawn networks.

    Args:
        steps: Networks drawn, one update of the images each.
        lr: Step size on images, in normalised space.
        momentum: Momentum on images.
        batch_real: Real images a class and step.
        init: Where the images start.
        on_divergence: Fail, or go back and on with half the step size, when the loss is no longer finite.
    """

    steps: int = 20_000
    lr: float = 1.0
    momentum: float = 0.5
    batch_real: int = 256
    init: Init = "real"
    on_divergence: OnDivergence = "fail"

    presets: ClassVar[Sequence[Preset]] = (
        Preset("paper", {"lr": 10.0}, min_ipc=100),
        Preset("quick", {"steps": 150, "batch_real": 64}),
        Preset("smoke", {"steps": 3, "batch_real": 8}),
    )

    def __post_init__(self) -> None:
        """Refuse what cannot be optimised."""
        if self.steps < 0 or self.batch_real < 1 or self.lr <= 0 or not 0 <= self.momentum < 1:
            raise ValueError("steps must not be negative, batch_real and lr must be positive, momentum in [0, 1)")

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        """Return ``ipc`` images a class."""
        images, labels = initial_images(data, ipc, ctx, self.init)
        body = frozen_network(ctx)
        match_in_random_networks(self, images, body, ctx, _Matcher(self, data, body, ctx).loss)
        return ctx.distilled(images, labels, data, recipe=recipes.spec(recipes.build("dc-bench-dsa")))

    def image_passes(self, n_real: int, num_classes: int, ipc: int) -> float:
        """Return the cost in forward passes of one image; synthetic images also go backward."""
        return float(self.steps * num_classes * (self.batch_real + 3 * ipc))


class _Matcher:
    """The loss of one step."""

    def __init__(self, method: DistributionMatching, data: ImageSet, body: Body, ctx: Context) -> None:
        self.ctx = ctx
        self.classes = range(data.num_classes)
        self.real = RealBatches(data, ctx, method.batch_real)
        self.augment = DSA()
        # Batch statistics must be those of all classes together; other norms look at one image at a time.
        self.together = has_batch_norm(body)
        flops = ctx.forward_flops * method.steps * method.batch_real * data.num_classes
        self.embed = compiled(body.features, body, flops=flops, notes=ctx.notes)

    def loss(self, images: Tensor, step: int) -> Tensor:
        """Return the summed squared distance of class means, of real and synthetic embeddings."""
        shared = [self.ctx.seeds.child("dsa", step, label) for label in self.classes]
        batches = images.chunk(len(self.classes))
        synthetic = [self.augment.siamese(batch, seed.torch()) for batch, seed in zip(batches, shared, strict=True)]
        with torch.no_grad():
            real = [self.augment.siamese(self.real.draw(c, step), shared[c].torch()) for c in self.classes]
            goal = self._real_means(real)
        embedded = self.embed(torch.cat(synthetic))  # (classes * ipc, D)
        found = embedded.reshape(len(self.classes), -1, embedded.shape[1]).mean(1)
        return (goal - found).square().sum()

    def _real_means(self, real: list[Tensor]) -> Tensor:
        if self.together:
            embedded = torch.split(self.embed(torch.cat(real)), [len(batch) for batch in real])
        else:
            embedded = tuple(self.embed(batch) for batch in real)
        return torch.stack([part.mean(0) for part in embedded])  # (classes, D)
