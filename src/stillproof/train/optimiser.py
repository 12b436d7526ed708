"""The optimiser that a recipe names, and its step size in every pass."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from stillproof.train.recipe import Recipe


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


def set_lr(optimiser: torch.optim.Optimizer, recipe: Recipe, epoch: int) -> None:
    """Set the step size of a pass; a change of it may forget the momentum."""
    lr = recipe.lr_at(epoch)
    for group in optimiser.param_groups:
        if group["lr"] != lr:
            group["lr"] = lr
            if recipe.reset_momentum:
                optimiser.state.clear()
