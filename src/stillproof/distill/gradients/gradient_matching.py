"""Gradient matching, which DC and DSA share: synthetic images that pull a network's weights as real ones do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from stillproof.core.context import Context
from stillproof.core.needs import Needs
from stillproof.core.presets import Preset
from stillproof.core.seeds import Seeds
from stillproof.core.types import Augmentation, Distilled, ImageSet
from stillproof.distill.gradients.gradient_matcher import Distance, GradientMatcher
from stillproof.distill.learning.descent import OnDivergence, descend
from stillproof.distill.learning.first_images import Init, embedding_for, initial_images
from stillproof.nets.body import Body
from stillproof.nets.build import reinitialise
from stillproof.nets.chunks import shares
from stillproof.nets.compiled import compiled
from stillproof.transforms.dsa import DSA

LR, LR_MLP = 0.1, 0.01  # on images

LOOPS: tuple[Preset, ...] = (
    # Published for 1, 10, 20, 30, 40 and 50 images per class; in between, the next smaller set's values hold.
    Preset("paper", {"outer_loop": 1, "inner_loop": 1}, max_ipc=9),
    Preset("paper", {"outer_loop": 10, "inner_loop": 50}, min_ipc=10, max_ipc=19),
    Preset("paper", {"outer_loop": 20, "inner_loop": 25}, min_ipc=20, max_ipc=29),
    Preset("paper", {"outer_loop": 30, "inner_loop": 20}, min_ipc=30, max_ipc=39),
    Preset("paper", {"outer_loop": 40, "inner_loop": 15}, min_ipc=40, max_ipc=49),
    Preset("paper", {"outer_loop": 50, "inner_loop": 10}, min_ipc=50, max_ipc=50),
    Preset("paper", {"outer_loop": 10, "inner_loop": 10}, min_ipc=51),  # DC-Bench's, for its larger sets
    Preset("quick", {"steps": 80, "batch_real": 32, "outer_loop": 1, "inner_loop": 1}, max_ipc=9),
    Preset("quick", {"steps": 20, "batch_real": 32, "outer_loop": 4, "inner_loop": 5}, min_ipc=10),
    Preset("smoke", {"steps": 3, "batch_real": 8, "outer_loop": 2, "inner_loop": 2}),
)


@dataclass(frozen=True)
class GradientMatching:
    """What DC and DSA have in common, with the parameters of both.

    Args:
        steps: Networks drawn; each is met at the start and along its training.
        outer_loop: Updates of the images with one network.
        inner_loop: Epochs of training on the synthetic images between two updates.
        lr: Learning rate of the images, in normalised space; by default the published one: 0.1, or 0.01 where the
            network has no convolution (an MLP).
        momentum: Momentum of the images' optimiser.
        batch_real: Real images per class and update; at most as many as the smallest class has.
        lr_net: Step size of the network's training.
        batch_net: Images per step of the network's training.
        distance: Between gradients: 1 - cosine of every unit's weights, summed; or squared error or 1 - cosine of all.
        init: Initialisation of the images.
        on_divergence: When the loss is no longer finite: fail, or go back and continue with half the step size.
    """

    steps: int = 1000
    outer_loop: int = 1
    inner_loop: int = 1
    lr: float | None = None
    momentum: float = 0.5
    batch_real: int = 256
    lr_net: float = 0.01
    batch_net: int = 256
    distance: Distance = "layerwise"
    init: Init = "noise"
    on_divergence: OnDivergence = "fail"

    presets: ClassVar[Sequence[Preset]] = LOOPS

    def __post_init__(self) -> None:
        """Refuse what cannot be optimised."""
        if self.steps < 0 or self.inner_loop < 0:
            raise ValueError("steps and inner_loop must not be negative")
        lr = LR if self.lr is None else self.lr
        if min(self.outer_loop, self.batch_real, self.batch_net, lr, self.lr_net) <= 0:
            raise ValueError("outer_loop, batch_real, batch_net, lr and lr_net must be positive")
        if not 0 <= self.momentum < 1:
            raise ValueError("momentum must be in [0, 1)")

    @property
    def needs(self) -> Needs:
        """Say which network the start needs."""
        return Needs(embedding=embedding_for(self.init))

    @property
    def augment(self) -> DSA | None:
        """Return what changes real and synthetic images alike; nothing, unless a subclass says otherwise."""
        return None

    def step_size(self, body: Body) -> float:
        """Return the step size on images."""
        convolves = any(isinstance(module, nn.Conv2d) for module in body.modules())
        published = LR if convolves else LR_MLP
        return published if self.lr is None else self.lr

    def recipe_for(self, dataset: str, body: Body) -> str:
        """Return how the authors train on the sets."""
        raise NotImplementedError

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        """Return ``ipc`` images per class."""
        images, labels = initial_images(data, ipc, ctx, self.init)
        images.requires_grad_()
        body = ctx.make_network()
        assert isinstance(body, Body)
        optimiser = torch.optim.SGD([images], lr=self.step_size(body), momentum=self.momentum)
        matcher, train = self.parts(body, data, ipc, ctx)
        targets = labels.to(ctx.device)

        def update(count: int) -> dict[str, float]:
            step, turn = divmod(count, self.outer_loop)
            if turn == 0:
                reinitialise(body, ctx.seeds.child("network", step))
            with ctx.seeds.child("dropout", step, turn).lent_to_torch(ctx.device):
                loss, images.grad = matcher.loss_and_gradient(images, step, turn)
                optimiser.step()
                if turn + 1 < self.outer_loop:
                    train(images.detach(), targets, ctx.seeds.child("inner", step, turn))
            return {"loss": loss}

        divergence = self.on_divergence
        descend(ctx, self.steps, optimiser, update, on_divergence=divergence, turns=self.outer_loop, body=body)
        return ctx.distilled(images, labels, data, recipe=self.recipe_for(data.info.name, body))

    def parts(self, body: Body, data: ImageSet, ipc: int, ctx: Context) -> tuple[GradientMatcher, InnerTraining]:
        """Return what compares gradients in ``body``, and what trains it in between."""

        def loss(images: Tensor, labels: Tensor) -> Tensor:
            return F.cross_entropy(body(images), labels)

        passes = self.image_passes(len(data), data.num_classes, ipc)
        loss_of = compiled(loss, body, flops=ctx.forward_flops * passes, notes=ctx.notes)
        augment = self.augment
        matcher = GradientMatcher(
            body, loss_of, data, ctx, batch_real=self.batch_real, distance=self.distance, augment=augment
        )
        return matcher, InnerTraining(body, loss_of, self.inner_loop, self.lr_net, self.batch_net, augment)

    def image_passes(self, n_real: int, num_classes: int, ipc: int) -> float:
        """Return the cost in forward passes of one image."""
        matching = 3 * self.batch_real + 9 * ipc  # synthetic images go through the backward pass and back again
        training = 3 * self.inner_loop * ipc
        one_network = self.outer_loop * matching + (self.outer_loop - 1) * training
        return float(self.steps * num_classes * one_network)

    def images_held(self, num_classes: int, ipc: int) -> float:
        """Return the most images that are in the network at once; a second derivative takes three times as much."""
        return float(max(self.batch_real, 3 * ipc, min(self.batch_net, num_classes * ipc)))


@dataclass(frozen=True)
class InnerTraining:
    """Training of the network on the synthetic images, between two looks at it.

    It is plain SGD, without momentum: there is nothing to remember from one call to the next but the weights.

    Args:
        body: The network, trained in place.
        loss_of: Takes images and labels and returns the network's mean loss.
        epochs: Passes over the images per call.
        lr: Step size.
        batch: Images per step.
        augment: Changes every batch; nothing, if None.
    """

    body: nn.Module
    loss_of: Callable[[Tensor, Tensor], Tensor]
    epochs: int
    lr: float
    batch: int
    augment: Augmentation | None

    def __call__(self, images: Tensor, labels: Tensor, seeds: Seeds) -> None:
        """Train on ``images``."""
        optimiser = torch.optim.SGD(self.body.parameters(), lr=self.lr)
        self.body.train()
        for epoch in range(self.epochs):
            draws = seeds.child(epoch)
            order = torch.randperm(len(images), generator=draws.child("order").torch()).to(images.device)
            for number, index in enumerate(torch.split(order, self.batch)):
                chosen = images[index]
                if self.augment is not None:
                    chosen = self.augment(chosen, draws.child("augment", number).torch())
                optimiser.zero_grad()
                for part, truth, share in shares(self.body, chosen, labels[index]):
                    (share * self.loss_of(part, truth)).backward()  # type: ignore[no-untyped-call]
                optimiser.step()
