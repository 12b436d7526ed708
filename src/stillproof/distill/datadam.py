"""DataDAM: match where random networks look, layer by layer, beside the mean embedding of each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from stillproof.core.components import distillers
from stillproof.core.context import Context
from stillproof.core.dsa_strategy import NO_MIRRORED_DIGITS, WITH_FLIP
from stillproof.core.imagenet_sets import IMAGENET
from stillproof.core.needs import Needs
from stillproof.core.presets import Preset
from stillproof.core.types import Distilled, ImageSet
from stillproof.distill.learning.attention import Attention
from stillproof.distill.learning.class_means import ClassMeans
from stillproof.distill.learning.descent import OnDivergence
from stillproof.distill.learning.first_images import Init, embedding_for, initial_images
from stillproof.distill.learning.random_networks import frozen_network, match_in_random_networks
from stillproof.nets.body import Body
from stillproof.sets.usual_recipes import datadam_recipe

WEIGHT = 100.0  # of the whole loss
HIGH_RESOLUTION = ("tiny_imagenet", *IMAGENET)


@distillers.register(
    "datadam",
    version=1,
    paper="arXiv:2310.00093",
    names={"datadam-code": {"steps": 20_000, "power": 1, "batch_real": 64, "init": "real"}},
)
@dataclass(frozen=True)
class DataDAM:
    """Match class means of spatial attention maps and of embeddings under freshly drawn networks.

    ``datadam`` is what the authors' table says: 8000 steps, power 4, a ConvNet with instance norm, a start from images
    near the centres of their class. ``datadam-code`` is what they released: 20,000 steps, power 1, a start from random
    images, and a ConvNet with batch norm, which has to be asked for (``--network convnet-3-bn``); its statistics are
    then those of all classes together. Both whiten CIFAR, and normalise before that; in the code it is a switch, which
    is off (``zca=false``) unless one asks for it. The network needs at least two activation layers that give maps:
    every ConvNet of two or more blocks, VGG, AlexNet and LeNet have them.

    Args:
        steps: Number of random networks, with one update of the images each.
        lr: Learning rate of the images, in normalised space.
        momentum: Momentum of the images' optimiser.
        batch_real: Real images per class and step.
        power: Exponent of activations in an attention map.
        task_balance: Share of the embeddings beside the attention maps.
        zca: Whether to work on images that are normalised and then whitened.
        strategy: Operations for DSA to choose from, joined by underscores.
        init: Initialisation of the images.
        on_divergence: When the loss is no longer finite: fail, or go back and continue with half the step size.
    """

    steps: int = 8000
    lr: float = 1.0
    momentum: float = 0.5
    batch_real: int = 128
    power: int = 4
    task_balance: float = 0.01
    zca: bool = False
    strategy: str = WITH_FLIP
    init: Init = "k-center"
    on_divergence: OnDivergence = "fail"

    presets: ClassVar[Sequence[Preset]] = (
        Preset("paper", {"zca": True}, datasets=("cifar10", "cifar100")),
        Preset("paper", {"task_balance": 0.02}, datasets=HIGH_RESOLUTION),
        Preset("paper", {"lr": 10.0}, min_ipc=51),
        Preset("quick", {"steps": 150, "batch_real": 64, "init": "real"}),
        # Under batch norm nothing holds the contrast of images; at 8 px the published step size lets it run away.
        Preset("quick", {"lr": 0.1}, datasets=("digits",)),
        Preset("smoke", {"steps": 3, "batch_real": 8, "init": "real"}),
        # What else a short name says holds at every size.
        Preset("quick", {"steps": 150}, names=("datadam-code",)),
        Preset("smoke", {"steps": 3}, names=("datadam-code",)),
        *NO_MIRRORED_DIGITS,
    )

    def __post_init__(self) -> None:
        """Refuse what cannot be optimised."""
        if self.steps < 0 or self.batch_real < 1 or self.lr <= 0 or not 0 <= self.momentum < 1:
            raise ValueError("steps must not be negative, batch_real and lr must be positive, momentum in [0, 1)")
        if self.power < 1 or self.task_balance < 0:
            raise ValueError("power must be at least 1, task_balance must not be negative")

    @property
    def needs(self) -> Needs:
        """Say whether images are whitened, and which network the start needs."""
        return Needs(whitening="normalised" if self.zca else "", embedding=embedding_for(self.init))

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        """Return ``ipc`` images per class."""
        images, labels = initial_images(data, ipc, ctx, self.init)
        body = frozen_network(ctx)
        match_in_random_networks(self, images, body, ctx, self.matcher(body, data, images[:1], ctx).loss)
        return ctx.distilled(images, labels, data, recipe=datadam_recipe(self.strategy))

    def matcher(self, body: Body, data: ImageSet, example: Tensor, ctx: Context) -> ClassMeans:
        """Return what compares real and synthetic images; ``example`` is one batch of such images."""
        # As one vector per image, so that the whole loss is a squared distance of means:
        # WEIGHT * (sum_layers |mean A - mean A'|^2 + task_balance * |mean e - mean e'|^2).
        attention = Attention(body, example, self.power, WEIGHT**0.5, (WEIGHT * self.task_balance) ** 0.5)
        return ClassMeans(
            attention.describe, body, data, ctx, batch_real=self.batch_real, steps=self.steps, strategy=self.strategy
        )

    def image_passes(self, n_real: int, num_classes: int, ipc: int) -> float:
        """Return the cost in forward passes of one image; synthetic images also go backward."""
        return float(self.steps * num_classes * (self.batch_real + 3 * ipc))

    def images_held(self, num_classes: int, ipc: int) -> float:
        """Return the most images that are in the network at once: real ones of a class, or all synthetic ones."""
        return float(max(self.batch_real, num_classes * ipc))
