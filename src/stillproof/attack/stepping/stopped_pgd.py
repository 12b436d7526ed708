"""PGD that leaves an image alone soon after it is fooled, as friendly adversarial training has it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.attack.base.norms import by_image
from stillproof.attack.pgd import PGD
from stillproof.attack.stepping.walk import Walk


@dataclass(frozen=True)
class StoppedPGD(PGD):
    """PGD under which an image that was seen fooled more than ``patience`` times stays where it is.

    It never stops if it has patience for as many as there are steps.
    """

    patience: int = 0

    def __post_init__(self) -> None:
        """Refuse a patience that is none."""
        super().__post_init__()
        check_patience(self.patience)

    def gradient(self, walk: Walk) -> Tensor:
        """Return the gradient of the cross-entropy; zero for images that stay."""
        crafting = walk.crafting
        gradient, logits = crafting.ask(walk.points, crafting.cross_entropy)
        crafting.judge(walk.points, logits)
        return without_stopped(gradient, walk, logits, self.patience)


def check_patience(patience: int) -> None:
    """Refuse a patience that is none, with a ``ValueError``."""
    if patience < 0:
        raise ValueError(f"patience must not be negative, as {patience} is")


def without_stopped(moves: Tensor, walk: Walk, logits: Tensor, patience: int) -> Tensor:
    """Return what moves images, zero for those that were fooled too often, ``logits`` included."""
    fooled = walk.crafting.fools(logits)
    times = walk.memory.get("fooled", torch.zeros_like(walk.crafting.rows)) + fooled
    walk.memory["fooled"] = times
    return moves.masked_fill(by_image(times > patience, moves), 0.0)
