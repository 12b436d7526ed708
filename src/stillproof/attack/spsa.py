"""SPSA: steps up a slope that is estimated from answers alone, on both sides of random directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from stillproof.attack.base.adam import Adam
from stillproof.attack.base.attack import BoundedAttack
from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.losses import margin
from stillproof.attack.base.norms import by_image
from stillproof.core.components import attacks
from stillproof.core.presets import Preset

DRAWN = 8  # directions that are drawn at once for each image


@attacks.register("spsa", version=1, paper="arXiv:1802.05666")
@dataclass(frozen=True)
class SPSA(BoundedAttack):
    """Ask the model on both sides of random directions, and go with Adam where its margin grows; no gradient is asked.

    What is asked stays in the range of pixels, unlike in other implementations: nobody can show a model anything else.

    Args:
        eps: Radius of the ball in Linf, in pixels of [0, 1].
        delta: How far from the image the model is asked.
        lr: Step size of Adam.
        steps: Number of steps.
        samples: Number of directions for each step, each of which takes two forward passes.
    """

    delta: float = 0.01
    lr: float = 0.01
    steps: int = 1
    samples: int = 128

    presets: ClassVar[Sequence[Preset]] = (Preset("smoke", {"samples": 16}),)

    def __post_init__(self) -> None:
        """Refuse a search that asks nothing, or leads nowhere."""
        super().__post_init__()
        for name in ("samples", "steps"):
            if getattr(self, name) < 1:
                raise ValueError(
                    f"{name} = {getattr(self, name)} leaves no budget to ask the model: it must be at least 1"
                )
        for name in ("delta", "lr"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above 0, not {getattr(self, name):g}")

    @property
    def passes(self) -> float:
        """Return the most passes of one image: the clean one, and for each step two per direction and one to judge."""
        return 1 + self.steps * (2 * self.samples + 1)

    def craft(self, crafting: Crafting) -> None:
        """Make the steps; images that are fooled leave, where they may."""
        points, adam = crafting.images, Adam(crafting.images, self.lr)
        for number in range(self.steps):
            up = self._slope(crafting.drawing("step", number), points)
            points = crafting.limits.project(crafting.images, points - adam.step(-up))
            crafting.logits(points)
            kept = crafting.staying()
            if not kept.any():
                return
            crafting, points, adam = crafting.only(kept), points[kept], adam.only(kept)
        if not crafting.judged:
            crafting.finish(points)

    def _slope(self, crafting: Crafting, points: Tensor) -> Tensor:
        """Return an estimate of the margin's gradient, (N, C, H, W)."""
        found = torch.zeros_like(points)
        low, high = crafting.limits.low(crafting.images), crafting.limits.high(crafting.images)
        for start in range(0, self.samples, DRAWN):
            count = min(DRAWN, self.samples - start)
            draws = crafting.streams.uniform((count, *points.shape[1:]), "directions", start).to(points)
            for sides in (2 * (draws < 0.5).to(points) - 1).unbind(1):
                leads = [
                    margin(
                        crafting.peek(torch.minimum(torch.maximum(points + way * sides, low), high)),
                        crafting.labels,
                        crafting.targets,
                    )
                    for way in (self.delta, -self.delta)
                ]
                found += by_image(leads[0] - leads[1], points) * sides
        return found / (2 * self.delta * self.samples)
