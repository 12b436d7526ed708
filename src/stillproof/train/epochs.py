"""The usual way to train: pass after pass over the images, with a step of the optimiser for every loss."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import torch
from torch import Tensor, nn

from stillproof.core.errors import StillproofError
from stillproof.train.batch import Batch
from stillproof.train.labels import Form
from stillproof.train.optimiser import make_optimiser, set_lr
from stillproof.train.passes import Passes
from stillproof.train.training import Training

# The loss of a batch; or several, one after the other: each is followed by its backward pass and a step.
BatchLoss = Callable[[Batch], Tensor | Iterable[Tensor]]


def train_epochs(training: Training, form: Form, begin: Callable[[Training], BatchLoss]) -> None:
    """Train for all epochs of the recipe, from a checkpoint if there is one.

    Args:
        training: What is trained.
        form: The form that targets are wanted in.
        begin: Returns the loss of a batch, once the optimiser is made.
    """
    recipe, ctx = training.recipe, training.ctx
    optimiser = make_optimiser(training.model.body, recipe)
    passes = Passes(training, form)
    loss_of = begin(training)
    for epoch in ctx.loop(recipe.epochs, name="train", **training.parts(optimiser=optimiser)):
        set_lr(optimiser, recipe, epoch)
        seeds = ctx.seeds.child("epoch", epoch)
        with seeds.child("dropout").lent_to_torch(ctx.device):
            mean_loss = _one_epoch(passes.batches(epoch, seeds), loss_of, optimiser, recipe.clip)
        training.record(epoch, mean_loss)


def _one_epoch(batches: Iterator[Batch], loss_of: BatchLoss, optimiser: torch.optim.Optimizer, clip: float) -> float:
    """Train on every batch; return the mean loss over all images, each as often as it was trained on."""
    weights = [weight for group in optimiser.param_groups for weight in group["params"]]
    total: float | Tensor = 0.0
    seen = 0
    for batch in batches:
        found = loss_of(batch)
        losses: Iterable[Tensor] = [found] if isinstance(found, Tensor) else found
        for loss in losses:
            optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            if clip:
                nn.utils.clip_grad_norm_(weights, clip)
            optimiser.step()
            total = total + loss.detach() * len(batch)
            seen += len(batch)
    if not seen:
        raise StillproofError("the objective gave no loss for any batch, so that there was nothing to learn.")
    return float(total) / seen
