"""OnePixel: one pixel, or a few, of another colour, found by differential evolution from answers alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.losses import margin
from stillproof.attack.base.norms import Norm
from stillproof.core.components import attacks
from stillproof.core.presets import Preset

# The strategy is that of torchattacks, and SciPy's usual one, best/1: candidates are moved from the best. The paper's
# is rand/1, from any of them, with a weight of 0.5.
WEIGHTS = 0.5, 1.0  # between which the weight of a difference is drawn in each generation
PARENTS = 2  # whose difference moves a candidate


@attacks.register("onepixel", version=1, paper="arXiv:1710.08864")
@dataclass(frozen=True)
class OnePixel(Attack):
    """Let candidates, each a place and a colour per pixel, evolve around the best of them; no gradient is asked.

    At most ``pixels`` pixels change, by any amount: a ball of L0, which has no ``eps``. Sizes are measured in L1.

    Args:
        pixels: The most pixels that may change.
        steps: Number of generations after the first.
        popsize: Number of candidates, each of which takes one forward pass in every generation.
    """

    pixels: int = 1
    steps: int = 10
    popsize: int = 10

    presets: ClassVar[Sequence[Preset]] = (Preset("smoke", {"steps": 2}),)

    def __post_init__(self) -> None:
        """Refuse a search that changes or asks nothing."""
        if self.pixels < 1:
            raise ValueError(f"pixels must be at least 1, not {self.pixels}")
        if self.steps < 0 or self.popsize < 1:
            raise ValueError(
                f"popsize = {self.popsize} and steps = {self.steps} leave no budget to ask the model: give a popsize "
                "of at least 1, and steps of at least 0"
            )
        if self.steps and self.popsize <= PARENTS:
            raise ValueError(f"popsize = {self.popsize} is too small to evolve: it must be at least {PARENTS + 1}")

    @property
    def measured_in(self) -> Norm:
        """Return L1."""
        return "L1"

    @property
    def passes(self) -> float:
        """Return the most passes of one image: the clean one, one per candidate and generation, and the best again."""
        return 2 + self.popsize * (1 + self.steps)

    def craft(self, crafting: Crafting) -> None:
        """Evolve; images that are fooled leave, where they may."""
        values = self.pixels * (2 + crafting.images.shape[1])
        found = crafting.streams.uniform((self.popsize, values), "first").to(crafting.images)
        leads = self._leads(crafting, found)
        for number in range(self.steps):
            kept = crafting.staying()
            if not kept.any():
                return
            crafting, found, leads = crafting.only(kept), found[kept], leads[kept]
            trials = _moved(crafting.drawing("generation", number), found, leads)
            reached = self._leads(crafting, trials)
            better = reached > leads
            found = torch.where(better.unsqueeze(2), trials, found)
            leads = torch.where(better, reached, leads)
        kept = crafting.staying()
        if kept.any():
            crafting, best = crafting.only(kept), _best(found[kept], leads[kept])
            crafting.finish(self._painted(crafting, best.squeeze(1)))

    def _leads(self, crafting: Crafting, candidates: Tensor) -> Tensor:
        """Return the margin of every candidate, (N, popsize)."""
        leads = []
        for one in candidates.unbind(1):
            logits = crafting.logits(self._painted(crafting, one))
            leads.append(margin(logits, crafting.labels, crafting.targets))
        return torch.stack(leads, 1)

    def _painted(self, crafting: Crafting, candidate: Tensor) -> Tensor:
        """Return the images with the pixels of a candidate, (N, C, H, W)."""
        points = crafting.images.clone()
        count, channels, height, width = points.shape
        low, high = crafting.limits.low(points), crafting.limits.high(points)
        rows = torch.arange(count, device=points.device)
        for pixel in candidate.view(count, self.pixels, 2 + channels).unbind(1):
            y = (pixel[:, 0] * height).long().clamp(max=height - 1)
            x = (pixel[:, 1] * width).long().clamp(max=width - 1)
            bottom, top = low[rows, :, y, x], high[rows, :, y, x]
            points[rows, :, y, x] = bottom + (top - bottom) * pixel[:, 2:]
        return points


def _moved(crafting: Crafting, candidates: Tensor, leads: Tensor) -> Tensor:
    """Return new candidates, each the best one moved by a weighted difference of two others, (N, popsize, values).

    What leaves [0, 1] is drawn anew.
    """
    count, size, values = candidates.shape
    low, high = WEIGHTS
    weight = low + (high - low) * crafting.streams.uniform((1, 1), "weight").to(candidates)
    order = crafting.streams.uniform((size, size), "parents").argsort(2)[:, :, :PARENTS]
    rows = torch.arange(count, device=candidates.device).view(-1, 1)
    first, second = (candidates[rows, order[:, :, parent]] for parent in range(PARENTS))
    moved = _best(candidates, leads) + weight * (first - second)
    drawn = crafting.streams.uniform((size, values), "anew").to(candidates)
    return torch.where((moved < 0) | (moved > 1), drawn, moved)


def _best(candidates: Tensor, leads: Tensor) -> Tensor:
    """Return the best candidate of each image, (N, 1, values)."""
    rows = torch.arange(len(candidates), device=candidates.device).view(-1, 1)
    return candidates[rows, leads.argmax(1, keepdim=True)]
