"""DeepFool: step by step over the nearest border of a linear model that is like the network just there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.norms import Norm
from stillproof.core.components import attacks

OVER = 1e-5  # logits, by which a border has to be crossed: two equal ones would be none


@attacks.register("deepfool", version=1, paper="arXiv:1511.04599")
@dataclass(frozen=True)
class DeepFool(Attack):
    """Go to the border that would be nearest if the network were linear, until it is crossed.

    Args:
        steps: The most steps.
        overshoot: How much further than the border to go, as a share of the way.
        norm: The norm that the way is measured in.
        classes: The most classes that are looked at, the likeliest ones, that of the image among them.
    """

    steps: int = 50
    overshoot: float = 0.02
    norm: Literal["L2", "Linf"] = "L2"
    classes: int = 10

    has_target = False
    leaves = False
    nearest = True

    def __post_init__(self) -> None:
        """Refuse steps that lead nowhere."""
        if self.steps < 1 or self.classes < 2:
            raise ValueError(f"steps = {self.steps} must be at least 1, classes = {self.classes} at least 2")
        if self.overshoot < 0:
            raise ValueError(f"overshoot must be at least 0, not {self.overshoot:g}")

    @property
    def measured_in(self) -> Norm:
        """Return the norm of the way."""
        return self.norm

    @property
    def passes(self) -> float:
        """Return the most passes of one image: the clean one, and for each step one per class and two forward."""
        return 1 + self.steps * (self.classes + 2)

    def craft(self, crafting: Crafting) -> None:
        """Make steps with the images that have not crossed a border yet; there an image's way ends."""
        crafting = crafting.looked()
        crafting = crafting.only(crafting.unfooled())
        points, way = crafting.images, torch.zeros_like(crafting.images)
        for _ in range(self.steps):
            if not len(crafting):
                return
            rivals = self._rivals(crafting)
            gradients, logits = crafting.jacobian(points, rivals)
            way = way + self._to_border(gradients, logits.gather(1, rivals)).view_as(way)
            points = crafting.limits.project(crafting.images, crafting.images + (1 + self.overshoot) * way)
            crafting.logits(points)
            kept = crafting.unfooled()
            crafting, points, way = crafting.only(kept), points[kept], way[kept]

    def _rivals(self, crafting: Crafting) -> Tensor:
        """Return the image's class, and those that are likeliest besides for the clean image, (N, k)."""
        assert crafting.clean_logits is not None
        own_first = crafting.clean_logits.scatter(1, crafting.labels.unsqueeze(1), float("inf"))
        return own_first.topk(min(self.classes, own_first.shape[1]), dim=1).indices

    def _to_border(self, gradients: Tensor, logits: Tensor) -> Tensor:
        """Return the shortest way over a border, (N, D), from k logits and their gradients, the image's own first."""
        slopes = (gradients[:, 1:] - gradients[:, :1]).flatten(2)
        steepness = slopes.norm(dim=2) if self.norm == "L2" else slopes.abs().sum(2)
        ways = (logits[:, :1] - logits[:, 1:] + OVER) / steepness
        ways = torch.where(steepness > 0, ways, float("inf"))
        length, nearest = ways.min(1, keepdim=True)
        slope = slopes[torch.arange(len(slopes)), nearest.squeeze(1)]
        direction = slope / steepness.gather(1, nearest) if self.norm == "L2" else slope.sign()
        return torch.where(length.isinf(), 0.0, length * direction)  # no border where all slopes are zero
