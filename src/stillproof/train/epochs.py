"""The usual way to train: pass after pass over the images, with a step of the optimiser for every loss."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from stillproof.core.errors import StillproofError
from stillproof.nets.chunks import most_at_once
from stillproof.train.backward import Backward, BatchLoss, backward_of
from stillproof.train.batch import Batch
from stillproof.train.labels import Form
from stillproof.train.passes import Passes
from stillproof.train.recipe import Recipe
from stillproof.train.training import Training


def train_epochs(
    training: Training, form: Form, begin: Callable[[Training], BatchLoss], *, by_image: bool = False
) -> None:
    """Train for all epochs of the recipe, from a checkpoint if there is one.

    Args:
        training: What is trained.
        form: The form that targets are wanted in.
        begin: Returns the loss of a batch, once the optimiser is made.
        by_image: Whether that is the mean of losses that its images have each by itself.
    """
    recipe, ctx = training.recipe, training.ctx
    optimiser = make_optimiser(training.model.body, recipe)
    passes = Passes(training, form)
    backward = backward_of(begin(training), recipe.parts, most_at_once(training.model.body) if by_image else 0)
    for epoch in ctx.loop(recipe.epochs, name="train", **training.parts(optimiser=optimiser)):
        if training.is_made(epoch):
            continue
        set_lr(optimiser, recipe, epoch)
        seeds = ctx.seeds.child("epoch", epoch)
        with seeds.child("dropout").lent_to_torch(ctx.device):
            batches = passes.batches(epoch, seeds)
            if recipe.schedule == "cyclic":
                batches = _at_rates_of_their_own(batches, optimiser, recipe, epoch, len(training.data))
            mean_loss = _one_epoch(batches, backward, optimiser, recipe.clip)
        training.record(epoch, mean_loss)


def _one_epoch(batches: Iterator[Batch], backward: Backward, optimiser: torch.optim.Optimizer, clip: float) -> float:
    """Train on every batch; return the mean loss over all images, each as often as it was trained on."""
    weights = [weight for group in optimiser.param_groups for weight in group["params"]]
    total: float | Tensor = 0.0
    seen = 0
    for batch in batches:
        for loss in backward(batch, optimiser):
            if clip:
                nn.utils.clip_grad_norm_(weights, clip)
            optimiser.step()
            total = total + loss * len(batch)
            seen += len(batch)
    if not seen:
        raise StillproofError("the objective gave no loss for any batch, so that there was nothing to learn.")
    return float(total) / seen


def make_optimiser(body: nn.Module, recipe: Recipe) -> torch.optim.Optimizer:
    """Return the recipe's optimiser of the body's weights."""
    groups = _groups(body, recipe)
    if recipe.optimiser != "sgd":
        adam = torch.optim.Adam if recipe.optimiser == "adam" else torch.optim.AdamW
        return adam(groups, lr=recipe.lr, weight_decay=recipe.weight_decay)
    return torch.optim.SGD(groups, lr=recipe.lr, momentum=recipe.momentum, weight_decay=recipe.weight_decay)


def _groups(body: nn.Module, recipe: Recipe) -> list[dict[str, Any]]:
    """Return the weights, those apart that get no weight decay."""
    weights = list(body.parameters())
    if recipe.decay_vectors:
        return [{"params": weights}]
    vectors = [weight for weight in weights if weight.ndim <= 1]
    return [
        {"params": [weight for weight in weights if weight.ndim > 1]},
        {"params": vectors, "weight_decay": 0.0},
    ]


def _at_rates_of_their_own(
    batches: Iterator[Batch], optimiser: torch.optim.Optimizer, recipe: Recipe, epoch: int, images: int
) -> Iterator[Batch]:
    """Set the step size before every batch, by how much of the pass lies behind it."""
    behind = 0
    for batch in batches:
        set_lr(optimiser, recipe, epoch + behind / images)
        behind += len(batch)
        yield batch


def set_lr(optimiser: torch.optim.Optimizer, recipe: Recipe, epoch: float) -> None:
    """Set the step size of a pass; a change of it may forget the momentum."""
    lr = recipe.lr_at(epoch)
    for group in optimiser.param_groups:
        if group["lr"] != lr:
            group["lr"] = lr
            if recipe.reset_momentum:
                optimiser.state.clear()
