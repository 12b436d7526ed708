"""DeepFool as torchattacks has it: every step begins where the one before was clamped to, and may end on a border."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.norms import Norm
from stillproof.attack.deepfool import DeepFool


@dataclass(frozen=True)
class ClampedDeepFool(Attack):
    """Go to the border that would be nearest if the network were linear, overshoot with each step, and clamp to [0, 1].

    Where the clamp holds an image back, steps become smaller than rounding, and many images end on a border. Which side
    of it they are on depends on how many images are asked of at once: the original changes images one by one and judges
    them together, this one the other way round, which is faster. The images are the same, and rounding decides in both.

    Args:
        steps: The most steps.
        overshoot: How much further than the border each step goes, as a share of the way.
    """

    steps: int = 50
    overshoot: float = 0.02

    has_target = False
    leaves = False

    @property
    def measured_in(self) -> Norm:
        """Return L2."""
        return "L2"

    @property
    def passes(self) -> float:
        """Return the most passes of one image among ten classes, as the usual form has them."""
        return DeepFool(steps=self.steps).passes

    def craft(self, crafting: Crafting) -> None:
        """Make steps with the images that have not crossed a border yet; those that were wrong stay as they are."""
        crafting = crafting.looked()
        crafting = crafting.only(crafting.unfooled())
        ends, going = crafting.images.clone(), torch.arange(len(crafting), device=crafting.images.device)
        moving = crafting
        for _ in range(self.steps):
            if not len(moving):
                break
            assert moving.clean_logits is not None
            every = torch.arange(moving.clean_logits.shape[1], device=ends.device).expand(len(moving), -1)
            gradients, logits = moving.jacobian(ends[going], every)
            way = _to_border(gradients, logits, moving.labels)
            ends[going] = (ends[going] + (1 + self.overshoot) * way).clamp(0, 1)
            moving.logits(ends[going])
            kept = moving.unfooled()
            moving, going = moving.only(kept), going[kept]
        for place in range(len(crafting)):
            alone = torch.zeros(len(crafting), dtype=torch.bool, device=ends.device)
            alone[place] = True
            crafting.only(alone).finish(ends[place : place + 1])


def _to_border(gradients: Tensor, logits: Tensor, labels: Tensor) -> Tensor:
    """Return the shortest way to a border, (N, C, H, W), from the gradients of all logits, (N, K, C, H, W)."""
    rows = torch.arange(len(labels), device=labels.device)
    slopes = gradients - gradients[rows, labels].unsqueeze(1)
    gaps = (logits - logits[rows, labels].unsqueeze(1)).abs()
    steepness = slopes.flatten(2).norm(dim=2)
    ways = (gaps / steepness).scatter(1, labels.unsqueeze(1), float("inf"))
    nearest = ways.argmin(1)
    factors = gaps[rows, nearest] / steepness[rows, nearest].square()
    way: Tensor = factors.view(-1, 1, 1, 1) * slopes[rows, nearest]
    return way
