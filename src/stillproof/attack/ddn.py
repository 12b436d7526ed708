"""DDN: the nearest change in L2; its direction follows the gradient, its size whether the model is fooled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.norms import Norm, by_image, sizes
from stillproof.attack.minimal_norm import SMALL, falling, farthest
from stillproof.core.components import attacks
from stillproof.core.presets import Preset

FIRST_STEP, LAST_STEP = 1.0, 0.01  # in L2; the paper has no others


@attacks.register("ddn", version=1, paper="arXiv:1811.09600")
@dataclass(frozen=True)
class DecoupledDirectionNorm(Attack):
    """Step up the loss, and bring the change to a size that is made smaller where it fools the model, else larger.

    Args:
        steps: Number of steps.
        shrink: By what share the size becomes smaller or larger.
        first_size: Size of the first change.
        levels: Number of values that a pixel may have, 256 in the paper; any value unless a number is given, since a
            finer change is a smaller one.
    """

    steps: int = 100
    shrink: float = 0.05
    first_size: float = 1.0
    levels: int | None = None

    leaves = False
    nearest = True
    presets: ClassVar[Sequence[Preset]] = (Preset("smoke", {"steps": 10}),)

    def __post_init__(self) -> None:
        """Refuse steps that lead nowhere."""
        if self.steps < 1 or not self.first_size > 0:
            raise ValueError(f"steps = {self.steps} must be at least 1, first_size = {self.first_size:g} above 0")
        if not 0 < self.shrink < 1:
            raise ValueError(f"shrink must be above 0 and below 1, not {self.shrink:g}")
        if self.levels is not None and self.levels < 2:
            raise ValueError(f"levels must be at least 2, not {self.levels}")

    @property
    def measured_in(self) -> Norm:
        """Return L2."""
        return "L2"

    @property
    def passes(self) -> float:
        """Return the most passes of one image: the clean one, two for each step, one to see what came of the last."""
        return 2 + 2 * self.steps

    def craft(self, crafting: Crafting) -> None:
        """Make the steps; the ledger keeps the nearest point that fools the model."""
        crafting = crafting.only(crafting.unfooled())
        if not len(crafting):
            return
        images = crafting.images
        low, high = crafting.limits.low(images), crafting.limits.high(images)
        room = farthest(images, low, high, "L2")
        points, size = images, torch.full_like(room, self.first_size)
        for number in range(self.steps):
            gradient, logits = crafting.ask(points, crafting.cross_entropy)
            crafting.judge(points, logits)
            size = torch.where(crafting.fools(logits), (1 - self.shrink) * size, (1 + self.shrink) * size)
            size = torch.minimum(size, room)
            length = falling(FIRST_STEP, LAST_STEP, number, self.steps)
            changes = points - images + length * _direction(crafting, gradient, number)
            changes = changes * by_image(size / sizes(changes, "L2").clamp(min=SMALL), changes)
            points = self._quantised(torch.minimum(torch.maximum(images + changes, low), high))
        crafting.finish(points)

    def _quantised(self, points: Tensor) -> Tensor:
        if self.levels is None:
            return points
        return points.mul(self.levels - 1).round().div(self.levels - 1)


def _direction(crafting: Crafting, gradient: Tensor, number: int) -> Tensor:
    """Return the gradient with length 1; where it is zero, a random direction."""
    length = sizes(gradient, "L2")
    lost = length < SMALL
    if lost.any():
        drawn = crafting.streams.only(lost).normal(gradient.shape[1:], "direction", number).to(gradient)
        gradient = gradient.index_put((lost.nonzero().squeeze(1),), drawn)
        length = sizes(gradient, "L2")
    return gradient / by_image(length, gradient)
