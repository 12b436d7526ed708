"""The loop of IDM and BACON: grids of four images, matched in networks that are being trained on real images."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from stillproof.core.context import Context
from stillproof.core.dsa_strategy import WITH_FLIP
from stillproof.core.imagenet_sets import IMAGENET
from stillproof.core.needs import Needs
from stillproof.core.presets import Preset
from stillproof.core.types import Distilled, ImageSet
from stillproof.distill.grids.grid import Form, decode_of, images_each
from stillproof.distill.grids.grid_matcher import EMBED_BATCH, GridMatcher
from stillproof.distill.learning.descent import OnDivergence, descend
from stillproof.distill.learning.first_images import Init, embedding_for, initial_images
from stillproof.distill.learning.net_queue import NetQueue
from stillproof.nets.body import Body
from stillproof.nets.chunks import by_chunks
from stillproof.nets.compiled import compiled
from stillproof.sets.usual_recipes import dsa_recipe

FIRST_NETS = 3
NETS_TRAINED = 2  # per step

# IDM's, which BACON took over; an ipc between two published ones takes the row of the smaller.
PUBLISHED = (
    Preset("paper", {"batch_real": 5000, "net_generate_interval": 5}, max_ipc=9),
    Preset("paper", {"ce_weight": 0.1, "forget_interval": 500}, min_ipc=50),
    Preset("paper", {"ce_weight": 0.1, "model_train_steps": 50}, datasets=("cifar100",), min_ipc=10),
    Preset("paper", {"batch_real": 256, "net_generate_interval": 30}, datasets=("tiny_imagenet",), max_ipc=9),
    Preset("paper", {"forget_interval": 500}, datasets=("tiny_imagenet",), min_ipc=10),
    Preset(
        "paper",
        {"ce_weight": 0.8, "model_train_steps": 50, "forget_interval": 1000},
        datasets=("tiny_imagenet",),
        min_ipc=50,
    ),
    # Published for a subset of ImageNet that is not among these, but is of their kind.
    Preset("paper", {"ce_weight": 3.0, "batch_real": 128, "batch_train": 128}, datasets=IMAGENET),
    Preset("paper", {"net_num": 50, "net_generate_interval": 50, "forget_interval": 200}, datasets=IMAGENET),
    Preset("paper", {"forget_interval": 1000}, datasets=IMAGENET, min_ipc=10),
    Preset("paper", {"net_num": 100, "forget_interval": 500, "form": "single"}, datasets=IMAGENET, min_ipc=50),
)

LAPTOP = (
    # Networks that are hardly trained are bad judges: their cross-entropy counts for less.
    Preset("quick", {"steps": 100, "batch_real": 64, "model_train_steps": 5, "batch_train": 64, "ce_weight": 0.05}),
    # A mean over more images moves each of them less, and there are few steps to make up for it.
    Preset("quick", {"lr": 5.0}, min_ipc=10),
    Preset("smoke", {"steps": 3, "batch_real": 8, "model_train_steps": 2, "batch_train": 8}),
    Preset("smoke", {"net_num": 4, "net_generate_interval": 2, "forget_interval": 2}),
)


@dataclass(frozen=True)
class MultiFormation:
    """Learn grids of four images whose embeddings are near those of real images; a subclass says what near is.

    For the largest sets of ImageNet IDM's authors learn single images, and its networks start from a checkpoint, which
    is not published: here they start from random weights, so that those numbers cannot be reached by the same way.

    Args:
        steps: Updates of the images.
        lr: Learning rate of the images, in normalised space.
        momentum: Momentum of the images' optimiser.
        batch_real: Real images per class and step that are matched.
        ce_weight: Weight of the images' cross-entropy for each percent of the network's training accuracy.
        net_num: Networks that are kept.
        net_generate_interval: Steps between new networks.
        model_train_steps: Training steps, per step, of each of two networks.
        batch_train: Real images of such a training step.
        forget_interval: Steps after which the networks' accuracies are counted anew.
        strategy: Operations for DSA to choose from, joined by underscores.
        form: Four images in each, at half size, or one.
        start: Whether a grid starts as four real images or as one, which is then cut in four: so IDM's code does
            on Tiny-ImageNet.
        init: Initialisation of the images.
        on_divergence: When the loss is no longer finite: fail, or go back and continue with half the step size.
    """

    steps: int = 20_000
    lr: float = 0.2
    momentum: float = 0.5
    batch_real: int = 256
    ce_weight: float = 0.5
    net_num: int = 100
    net_generate_interval: int = 30
    model_train_steps: int = 10
    batch_train: int = 256
    forget_interval: int = 100
    strategy: str = WITH_FLIP
    form: Form = "grid2x2"
    start: Literal["cells", "whole"] = "cells"
    init: Init = "real"
    on_divergence: OnDivergence = "fail"

    def __post_init__(self) -> None:
        """Refuse what cannot be optimised."""
        if self.steps < 0 or self.ce_weight < 0 or self.model_train_steps < 0:
            raise ValueError("steps, ce_weight and model_train_steps must not be negative")
        counts = (self.batch_real, self.net_num, self.net_generate_interval, self.batch_train, self.forget_interval)
        if min(counts) < 1 or self.lr <= 0 or not 0 <= self.momentum < 1:
            raise ValueError("lr, batches, intervals and net_num must be positive, momentum in [0, 1)")

    @property
    def needs(self) -> Needs:
        """Say how many real images are needed: cells that are drawn at random may share some."""
        each = images_each(1, self._first_form) if self.init == "k-center" else 1
        trained = images_each(1, self.form)
        return Needs(embedding=embedding_for(self.init), real_per_image=each, trained_per_image=trained)

    @property
    def _first_form(self) -> Form:
        return self.form if self.start == "cells" else "single"

    def distance(self, found: Tensor, mean: Tensor, std: Tensor) -> Tensor:
        """Return how far mean synthetic embeddings are from real ones, summed over classes; all are (classes, D)."""
        raise NotImplementedError

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        """Return ``ipc`` grids per class."""
        grids, labels = initial_images(data, ipc, ctx, self.init, self._first_form)
        grids.requires_grad_()
        optimiser = turns_optimiser(grids, self.lr, self.momentum, data.num_classes)
        body = ctx.make_network()
        assert isinstance(body, Body)
        queue = NetQueue(body, ctx.seeds.child("queue"), self.net_num)
        for _ in range(FIRST_NETS):
            queue.push()
        work = ctx.forward_flops * self.image_passes(len(data), data.num_classes, ipc)
        matcher = GridMatcher(
            data,
            body,
            ctx,
            self.distance,
            batch_real=self.batch_real,
            strategy=self.strategy,
            form=self.form,
            flops=work,
        )
        logits_of = by_chunks(compiled(body.forward, body, flops=work, notes=ctx.notes), body)

        def update(step: int) -> dict[str, float]:
            if step and step % self.forget_interval == 0:
                queue.forget()
            if step % self.net_generate_interval == 0:
                queue.push()
            chosen = torch.randint(len(queue), (), generator=ctx.seeds.child("matched", step).torch())
            accuracy = queue.show(int(chosen)).accuracy
            loss = matcher.loss(grids, self.ce_weight * 100 * accuracy, step)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            self._train_some(queue, data, ctx, step, logits_of)
            return {"loss": loss.item(), "network_accuracy": accuracy}

        descend(ctx, self.steps, optimiser, update, on_divergence=self.on_divergence, queue=queue)
        return ctx.distilled(grids, labels, data, decode=decode_of(self.form), recipe=dsa_recipe(self.strategy))

    def _train_some(
        self, queue: NetQueue, data: ImageSet, ctx: Context, step: int, logits_of: Callable[[Tensor], Tensor]
    ) -> None:
        order = torch.randperm(len(queue), generator=ctx.seeds.child("trained", step).torch())
        for turn, position in enumerate(order[:NETS_TRAINED].tolist()):
            batches = self._train_batches(data, ctx, step, turn)
            with ctx.seeds.child("dropout", step, turn).lent_to_torch(ctx.device):
                queue.train(position, batches, logits_of)

    def _train_batches(self, data: ImageSet, ctx: Context, *moment: int) -> Iterator[tuple[Tensor, Tensor]]:
        for number in range(self.model_train_steps):
            order = torch.randperm(len(data), generator=ctx.seeds.child("batch", *moment, number).torch())
            index = order[: self.batch_train]
            yield ctx.into_space(data.read(index, ctx.device)), data.labels[index].to(ctx.device)

    def image_passes(self, n_real: int, num_classes: int, ipc: int) -> float:
        """Return the cost in forward passes of one image; a backward pass costs two."""
        matched = min(self.batch_real * num_classes, n_real) + 3 * images_each(ipc, self.form) * num_classes
        trained = 3 * NETS_TRAINED * self.model_train_steps * min(self.batch_train, n_real)
        return float(self.steps * (matched + trained))

    def images_held(self, num_classes: int, ipc: int) -> float:
        """Return the most images that are in the network at once: real ones, or all that the grids hold."""
        return float(max(EMBED_BATCH, self.batch_train, num_classes * images_each(ipc, self.form)))


def turns_optimiser(images: Tensor, lr: float, momentum: float, classes: int) -> torch.optim.SGD:
    """Return an optimiser that does in one step what the originals do in one step per class.

    Theirs moves all images after the gradient of each class, so that between two gradients of its own an image coasts
    for ``classes - 1`` steps. That is the same as to take the way of all these steps at once, and to let as much of
    the momentum decay: with ten classes and a momentum of 0.5, nearly twice the step size and nearly no momentum.
    The originals read the images in the middle of the last coasting; here they have come to its end.
    """
    left = momentum**classes
    return torch.optim.SGD([images], lr=lr * (1 - left) / (1 - momentum), momentum=left)
