"""FMN: the nearest change that fools the model, by steps along the border in a ball that follows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.losses import margin
from stillproof.attack.base.norms import Norm, by_image, sizes
from stillproof.attack.minimal_norm import SMALL, falling, farthest, into_balls, inward, to_border
from stillproof.core.components import attacks
from stillproof.core.presets import Preset


@attacks.register(
    "fmn", version=1, paper="arXiv:2102.12827", names={"fmn-l2": {"norm": "L2"}, "fmn-l1": {"norm": "L1"}}
)
@dataclass(frozen=True)
class FastMinimumNorm(Attack):
    """Go up the margin of the best wrong class in a ball that shrinks where the model is fooled, and else grows.

    Unlike in the paper, values at an end of their range do not count in a gradient that leads beyond it: where much of
    an image is black or white, the border would seem nearer than it is, and the ball would never reach it.

    Args:
        norm: The norm that the change is measured in.
        steps: Number of steps.
        step: Size of the first step, in L2 whatever the norm; steps fall along a cosine.
        last_step: Size of the last one.
        shrink: By what share the ball shrinks or grows at first, once a change is found.
        last_shrink: The same at the end.
    """

    norm: Norm = "Linf"
    steps: int = 100
    step: float = 1.0
    last_step: float = 0.01
    shrink: float = 0.05
    last_shrink: float = 0.001

    leaves = False
    nearest = True
    presets: ClassVar[Sequence[Preset]] = (Preset("smoke", {"steps": 10}),)

    def __post_init__(self) -> None:
        """Refuse steps that lead nowhere."""
        if self.steps < 1:
            raise ValueError(f"steps must be at least 1, not {self.steps}")
        if not 0 < self.last_step <= self.step:
            raise ValueError(f"last_step = {self.last_step:g} must be above 0, and step = {self.step:g} no smaller")
        if not 0 < self.last_shrink <= self.shrink < 1:
            raise ValueError(
                f"shrink = {self.shrink:g} must be below 1, last_shrink = {self.last_shrink:g} above 0 and no larger"
            )

    @property
    def measured_in(self) -> Norm:
        """Return the norm of the change."""
        return self.norm

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
        room = farthest(images, low, high, self.norm)
        points, radii = images, torch.full_like(room, float("inf"))
        for number in range(self.steps):
            gradient, logits = crafting.ask(points, margin)
            crafting.judge(points, logits)
            gradient = inward(gradient, points, low, high)
            share = falling(self.shrink, self.last_shrink, number, self.steps)
            radii = torch.minimum(self._radii(crafting, points, gradient, logits, radii, share), room)
            length = falling(self.step, self.last_step, number, self.steps)
            direction = gradient / by_image(sizes(gradient, "L2").clamp(min=SMALL), gradient)
            changes = into_balls(points - images + length * direction, self.norm, radii)
            points = torch.minimum(torch.maximum(images + changes, low), high)
        crafting.finish(points)

    def _radii(
        self, crafting: Crafting, points: Tensor, gradient: Tensor, logits: Tensor, radii: Tensor, share: float
    ) -> Tensor:
        """Return the next radius of each ball; while nothing fools the model it reaches to where the border may be."""
        lead = margin(logits, crafting.labels, crafting.targets)
        ahead = sizes(points - crafting.images, self.norm) + to_border(lead, gradient, self.norm)
        smaller = torch.minimum(radii * (1 - share), crafting.ledger.nearest[crafting.rows])
        missed = torch.where(crafting.unfooled(), ahead, radii * (1 + share))
        return torch.where(crafting.fools(logits), smaller, missed)
