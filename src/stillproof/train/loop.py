"""The training loop that every recipe, suite and embedding runs through."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from stillproof.core.context import Context
from stillproof.core.errors import StillproofError
from stillproof.core.seeds import Seeds
from stillproof.train.augment import Augment, make_augment
from stillproof.train.compiled import compiled
from stillproof.train.curve import Curve
from stillproof.train.data import TrainData
from stillproof.train.labels import loss_function
from stillproof.train.model import TrainedModel
from stillproof.train.recipe import Recipe
from stillproof.train.replay import check_replay
from stillproof.train.trajectory import Trajectory


def fit(
    model: TrainedModel,
    data: TrainData,
    recipe: Recipe,
    ctx: Context,
    *,
    curve: Curve | Trajectory | None = None,
    flops: float = 0,
) -> None:
    """Train ``model`` in place; its accuracy is measured only if there is a ``curve``.

    Args:
        model: The model.
        data: Training images in the body's space.
        recipe: How to train.
        ctx: The cell's context.
        curve: Takes measurements and keeps weights.
        flops: One image's forward pass, for the decision whether compiling repays.
    """
    if data.replay:
        check_replay(data.replay.labels, recipe)
    body = model.train().body
    optimiser = _optimiser(body, recipe)
    loss = loss_function(recipe.loss, recipe.temperature)
    augment = make_augment(recipe.augment, model.front, recipe.loss, data.num_classes)
    work = 3 * flops * recipe.epochs * len(data)  # a backward pass costs two forward ones
    loss_of = compiled(lambda x, y: loss(body(x), y), body, flops=work, notes=ctx.notes)
    parts = {"body": body, "optimiser": optimiser} | ({"curve": curve} if curve else {})
    for epoch in ctx.loop(recipe.epochs, name="train", **parts):
        _set_lr(optimiser, recipe, epoch)
        seeds = ctx.seeds.child("epoch", epoch)
        with seeds.child("dropout").lent_to_torch(ctx.device):
            batches = data.replay.batches(epoch) if data.replay else _batches(data, recipe, seeds, augment)
            mean_loss = _one_epoch(batches, loss_of, optimiser, recipe.clip) / len(data)
        if not mean_loss < float("inf"):
            raise StillproofError(f"training diverged: the loss is {mean_loss} in epoch {epoch + 1}; try a smaller lr.")
        if curve:
            curve.losses.append(mean_loss)
            if recipe.is_measured(epoch):
                curve.measure(model, epoch + 1)
    model.eval()


def _batches(data: TrainData, recipe: Recipe, seeds: Seeds, augment: Augment) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield images and targets of one pass, in an order of its own unless the recipe keeps that of the data."""
    order = torch.arange(len(data))
    if recipe.shuffle:
        order = torch.randperm(len(data), generator=seeds.child("order").torch())
    for number, index in enumerate(torch.split(order, recipe.batch)):
        images, goal = data.read(index), data.targets[index.to(data.targets.device)]
        yield augment(images, goal, seeds.child("augment", number).torch())


def _one_epoch(
    batches: Iterator[tuple[Tensor, Tensor]],
    loss_of: Callable[[Tensor, Tensor], Tensor],
    optimiser: torch.optim.Optimizer,
    clip: float,
) -> float:
    """Train on every batch; return the sum of all images' losses."""
    weights = [weight for group in optimiser.param_groups for weight in group["params"]]
    total: float | Tensor = 0.0
    for images, goal in batches:
        loss = loss_of(images, goal)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        if clip:
            nn.utils.clip_grad_norm_(weights, clip)
        optimiser.step()
        total = total + loss.detach() * len(images)
    return float(total)


def _optimiser(body: nn.Module, recipe: Recipe) -> torch.optim.Optimizer:
    if recipe.optimiser != "sgd":
        adam = torch.optim.Adam if recipe.optimiser == "adam" else torch.optim.AdamW
        return adam(body.parameters(), lr=recipe.lr, weight_decay=recipe.weight_decay)
    return torch.optim.SGD(body.parameters(), lr=recipe.lr, momentum=recipe.momentum, weight_decay=recipe.weight_decay)


def _set_lr(optimiser: torch.optim.Optimizer, recipe: Recipe, epoch: int) -> None:
    lr = recipe.lr_at(epoch)
    for group in optimiser.param_groups:
        if group["lr"] != lr:
            group["lr"] = lr
            if recipe.reset_momentum:
                optimiser.state.clear()
