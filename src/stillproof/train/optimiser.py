"""The optimiser that a recipe names, and its step size in every pass."""

from __future__ import annotations

import torch
from torch import nn

from stillproof.train.recipe import Recipe


def make_optimiser(body: nn.Module, recipe: Recipe) -> torch.optim.Optimizer:
    """Return the recipe's optimiser of the body's weights."""
    if recipe.optimiser != "sgd":
        adam = torch.optim.Adam if recipe.optimiser == "adam" else torch.optim.AdamW
        return adam(body.parameters(), lr=recipe.lr, weight_decay=recipe.weight_decay)
    return torch.optim.SGD(body.parameters(), lr=recipe.lr, momentum=recipe.momentum, weight_decay=recipe.weight_decay)


def set_lr(optimiser: torch.optim.Optimizer, recipe: Recipe, epoch: int) -> None:
    """Set the step size of a pass; a change of it may forget the momentum."""
    lr = recipe.lr_at(epoch)
    for group in optimiser.param_groups:
        if group["lr"] != lr:
            group["lr"] = lr
            if recipe.reset_momentum:
                optimiser.state.clear()
