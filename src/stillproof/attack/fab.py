"""FAB: along the border of the class, ever nearer to the image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.norms import Norm, by_image, sizes
from stillproof.attack.border.hyperplane import way_to_hyperplane
from stillproof.attack.border.nearest_border import nearest_border
from stillproof.core.components import attacks
from stillproof.core.presets import Preset

SHORT = 1e-8  # a way that counts as none


@attacks.register("fab", version=1, paper="arXiv:1907.02044")
@dataclass(frozen=True)
class FAB(Attack):
    """Go to where the border would be if the network were linear, drawn to the image, and back a little once across.

    Within another attack's ball only what lies in it counts.

    Args:
        steps: Number of steps.
        norm: The norm that changes are measured in.
        alpha_max: The most weight of the way from the image itself, against that from the last point.
        eta: How far to go, as a share of the way to the border.
        beta: Share of the change that is left once the border is crossed.
    """

    steps: int = 100
    norm: Norm = "Linf"
    alpha_max: float = 0.1
    eta: float = 1.05
    beta: float = 0.9

    has_target = False
    leaves = False
    nearest = True
    presets: ClassVar[Sequence[Preset]] = (Preset("smoke", {"steps": 5}),)

    def __post_init__(self) -> None:
        """Refuse steps that lead nowhere."""
        if self.steps < 1:
            raise ValueError(f"steps must be at least 1, not {self.steps}")
        for name in ("alpha_max", "beta"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie in [0, 1], not at {getattr(self, name):g}")
        if self.eta < 1:
            raise ValueError(f"eta must be at least 1, not {self.eta:g}")

    @property
    def measured_in(self) -> Norm:
        """Return the norm of the changes."""
        return self.norm

    @property
    def passes(self) -> float:
        """Return the most passes of one image for ten classes: the clean one, and for each step twelve."""
        return 1 + self.steps * 12

    def craft(self, crafting: Crafting) -> None:
        """Search with the images that are not wrong already."""
        self.search(crafting.looked().only(crafting.unfooled()))

    def search(self, crafting: Crafting) -> None:
        """Make the steps; images leave once a point in the ball is found, where they may."""
        points = crafting.images
        for _ in range(self.steps):
            if not len(crafting):
                return
            slopes, heights = nearest_border(crafting, points, self.norm)
            points = self._nearer(crafting, points, slopes, heights)
            logits = crafting.peek(points)
            crossed = crafting.fools(logits)
            crafting.judge(points, logits, where=crossed & self._inside(crafting, points))
            back = crafting.images + self.beta * (points - crafting.images)
            points = torch.where(by_image(crossed, points), back, points)
            kept = crafting.staying()
            if not bool(kept.all()):
                crafting, points = crafting.only(kept), points[kept]
        if not crafting.judged:
            crafting.finish(points)

    def _nearer(self, crafting: Crafting, points: Tensor, slopes: Tensor, heights: Tensor) -> Tensor:
        """Return the points after a step: where the ways from the last point and from the image lead, weighed."""
        images, limits = crafting.images, crafting.limits
        low, high = limits.low(images), limits.high(images)
        at_image = heights + (slopes * (images - points).flatten(1)).sum(1)

        def way(start: Tensor, height: Tensor) -> tuple[Tensor, Tensor]:
            down, up = (start - low).flatten(1), (high - start).flatten(1)
            found = way_to_hyperplane(slopes, height, down, up, self.norm).view_as(start)
            return found, sizes(found, self.norm).clamp(min=SHORT)

        on, length = way(points, heights)
        anew, length_anew = way(images, at_image)
        alpha = by_image((length / (length + length_anew)).clamp(max=self.alpha_max), points)
        mixed = (1 - alpha) * (points + self.eta * on) + alpha * (images + self.eta * anew)
        return torch.minimum(torch.maximum(mixed, low), high)

    def _inside(self, crafting: Crafting, points: Tensor) -> Tensor:
        """Say which points lie in the ball, if there is one."""
        far = sizes(points - crafting.images, self.norm)
        return far <= (float("inf") if crafting.limits.eps is None else crafting.limits.eps)
