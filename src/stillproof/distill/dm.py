"""Distribution matching: make the mean synthetic embedding of each class equal the real one, in random networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from stillproof.core.components import distillers
from stillproof.core.context import Context
from stillproof.core.dsa_strategy import NO_MIRRORED_DIGITS, WITH_FLIP
from stillproof.core.needs import Needs
from stillproof.core.presets import Preset
from stillproof.core.types import Distilled, ImageSet
from stillproof.distill.learning.class_means import ClassMeans
from stillproof.distill.learning.descent import OnDivergence
from stillproof.distill.learning.first_images import Init, embedding_for, initial_images
from stillproof.distill.learning.random_networks import frozen_network, match_in_random_networks
from stillproof.nets.body import Body
from stillproof.sets.usual_recipes import dsa_recipe


@distillers.register("dm", version=1, paper="arXiv:2110.04181")
@dataclass(frozen=True)
class DistributionMatching:
    """Match class means of embeddings under freshly drawn networks.

    Args:
        steps: Number of random networks, with one update of the images each.
        lr: Learning rate of the images, in normalised space.
        momentum: Momentum of the images' optimiser.
        batch_real: Real images per class and step.
        strategy: Operations for DSA to choose from, joined by underscores.
        init: Initialisation of the images.
        on_divergence: When the loss is no longer finite: fail, or go back and continue with half the step size.
    """

    steps: int = 20_000
    lr: float = 1.0
    momentum: float = 0.5
    batch_real: int = 256
    strategy: str = WITH_FLIP
    init: Init = "real"
    on_divergence: OnDivergence = "fail"

    presets: ClassVar[Sequence[Preset]] = (
        # The paper says 10 for the largest sets; it is CIFAR-10 alone that has such.
        Preset("paper", {"lr": 10.0}, datasets=("cifar10",), min_ipc=100),
        Preset("quick", {"steps": 150, "batch_real": 64}),
        Preset("smoke", {"steps": 3, "batch_real": 8}),
        *NO_MIRRORED_DIGITS,
    )

    def __post_init__(self) -> None:
        """Refuse what cannot be optimised."""
        if self.steps < 0 or self.batch_real < 1 or self.lr <= 0 or not 0 <= self.momentum < 1:
            raise ValueError("steps must not be negative, batch_real and lr must be positive, momentum in [0, 1)")

    @property
    def needs(self) -> Needs:
        """Say which network the start needs."""
        return Needs(embedding=embedding_for(self.init))

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        """Return ``ipc`` images per class."""
        images, labels = initial_images(data, ipc, ctx, self.init)
        body = frozen_network(ctx)
        match_in_random_networks(self, images, body, ctx, self.matcher(body, data, ctx).loss)
        return ctx.distilled(images, labels, data, recipe=dsa_recipe(self.strategy))

    def matcher(self, body: Body, data: ImageSet, ctx: Context) -> ClassMeans:
        """Return what compares real and synthetic images: by their embeddings."""
        return ClassMeans(
            body.features, body, data, ctx, batch_real=self.batch_real, steps=self.steps, strategy=self.strategy
        )

    def image_passes(self, n_real: int, num_classes: int, ipc: int) -> float:
        """Return the cost in forward passes of one image; synthetic images also go backward."""
        return float(self.steps * num_classes * (self.batch_real + 3 * ipc))

    def images_held(self, num_classes: int, ipc: int) -> float:
        """Return the most images that are in the network at once: real ones of a class, or all synthetic ones."""
        return float(max(self.batch_real, num_classes * ipc))
