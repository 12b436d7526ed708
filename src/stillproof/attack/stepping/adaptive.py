"""Step sizes that adapt to each image: half as long where the loss does not grow (arXiv:2003.01690, section 3)."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor

from stillproof.attack.base.norms import by_image
from stillproof.attack.stepping.walk import Walk

# As shares of all steps: the first time at which progress is looked at, by how much each wait is shorter than the one
# before, and the shortest.
FIRST, SHORTER, SHORTEST = 0.22, 0.03, 0.06
MOMENTUM = 0.25  # share of the last move in the next


def checkpoints(steps: int) -> list[int]:
    """Return after how many steps progress is looked at, in rising order."""
    wait, shorter, shortest = (max(int(share * steps), 1) for share in (FIRST, SHORTER, SHORTEST))
    found, at = [], wait
    while at < steps:
        found.append(at)
        wait = max(wait - shorter, shortest)
        at += wait
    return found


def noted(walk: Walk, gradient: Tensor, losses: Tensor, step: float) -> None:
    """Remember the best points so far, and how often the loss grew; at first, begin with steps of a size."""
    memory = walk.memory
    if not walk.number:
        memory |= {"before": walk.points, "best": walk.points, "best_gradient": gradient}
        memory |= {"best_loss": losses, "loss": losses, "best_at_check": losses}
        memory |= {"step": torch.full_like(losses, step), "grew": torch.zeros_like(losses)}
        memory["halved"] = torch.ones_like(losses, dtype=torch.bool)
        return
    better = losses > memory["best_loss"]
    memory["best"] = torch.where(by_image(better, gradient), walk.points, memory["best"])
    memory["best_gradient"] = torch.where(by_image(better, gradient), gradient, memory["best_gradient"])
    memory["best_loss"] = torch.where(better, losses, memory["best_loss"])
    memory["grew"] = memory["grew"] + (losses > memory["loss"])
    memory["loss"] = losses


def checked(walk: Walk, gradient: Tensor, steps: int, rho: float) -> Tensor:
    """Halve, at a checkpoint, the steps of images that make no progress, and put these back to their best points.

    There is none if the loss grew in no more than a share ``rho`` of the steps, or if the step was left as it was the
    last time and the best loss is still the same.

    Returns:
        The gradient at the points where images are now.
    """
    waits = {at: at - before for before, at in pairwise([0, *checkpoints(steps)])}
    if walk.number not in waits:
        return gradient
    memory = walk.memory
    stuck = ~memory["halved"] & (memory["best_at_check"] >= memory["best_loss"])
    halve = (memory["grew"] <= rho * waits[walk.number]) | stuck
    memory["step"] = torch.where(halve, memory["step"] / 2, memory["step"])
    memory["halved"], memory["best_at_check"] = halve, memory["best_loss"]
    memory["grew"] = torch.zeros_like(memory["grew"])
    walk.points = torch.where(by_image(halve, gradient), memory["best"], walk.points)
    return torch.where(by_image(halve, gradient), memory["best_gradient"], gradient)


def moved(walk: Walk, direction: Tensor) -> Tensor:
    """Return where a step in a direction leads, with some of the last move in it."""
    points, memory = walk.points, walk.memory
    step = by_image(memory["step"], points) * direction
    ahead = walk.crafting.limits.project(walk.images, points + step)
    if not walk.number:
        return ahead
    last = points - memory["before"]
    memory["before"] = points
    return points + (1 - MOMENTUM) * (ahead - points) + MOMENTUM * last
