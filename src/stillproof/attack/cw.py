"""C&W: the nearest change that fools the model, by descent on its size and on the margin together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from stillproof.attack.base.adam import Adam
from stillproof.attack.base.attack import Attack
from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.losses import margin
from stillproof.attack.base.norms import Norm, by_image
from stillproof.core.components import attacks
from stillproof.core.presets import Preset

INSIDE = 1 - 1e-6  # how near to black and white pixels begin: at the very end of tanh they could not move
GROWTH = 10.0  # of the weight while an image is not fooled


@attacks.register("cw", version=1, paper="arXiv:1608.04644")
@dataclass(frozen=True)
class CarliniWagner(Attack):
    """Make the change smaller and the margin of the wrong class larger, both at once, with pixels as values of tanh.

    Args:
        c: Weight of the margin; of the first search, if there are several.
        kappa: Margin, in logits, that a wrong class must have.
        steps: Steps of Adam in each search.
        lr: Its step size.
        searches: Number of searches, each with a weight for every image that the one before suggests.
    """

    c: float = 1.0
    kappa: float = 0.0
    steps: int = 100
    lr: float = 0.01
    searches: int = 1

    leaves = False
    nearest = True
    presets: ClassVar[Sequence[Preset]] = (Preset("smoke", {"steps": 10, "lr": 0.1}),)

    def __post_init__(self) -> None:
        """Refuse a search that leads nowhere."""
        for name in ("c", "lr", "steps", "searches"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above 0, not {getattr(self, name):g}")
        if self.kappa < 0:
            raise ValueError(f"kappa must be at least 0, not {self.kappa:g}")

    @property
    def measured_in(self) -> Norm:
        """Return L2."""
        return "L2"

    @property
    def passes(self) -> float:
        """Return the most passes of one image: the clean one, and two for each step."""
        return 1 + 2 * self.steps * self.searches

    def craft(self, crafting: Crafting) -> None:
        """Search, and search again with a smaller weight for what was fooled, with a larger one for the rest."""
        crafting = crafting.only(crafting.unfooled())
        if not len(crafting):
            return
        weights = torch.full_like(crafting.images[:, 0, 0, 0], self.c)
        low, high = torch.zeros_like(weights), torch.full_like(weights, float("inf"))
        for _ in range(self.searches):
            fooled = self._search(crafting, weights)
            high = torch.where(fooled, torch.minimum(high, weights), high)
            low = torch.where(fooled, low, torch.maximum(low, weights))
            weights = torch.where(high.isinf(), weights * GROWTH, (low + high) / 2)

    def _search(self, crafting: Crafting, weights: Tensor) -> Tensor:
        """Make the steps of one search; return which images fooled the model on the way."""
        images, c = crafting.images, by_image(weights, crafting.images)
        low, high = crafting.limits.low(images), crafting.limits.high(images)
        middle, reach = (low + high) / 2, (high - low) / 2
        values = torch.atanh((images - middle) / reach * INSIDE)
        adam = Adam(values, self.lr)
        fooled = torch.zeros(len(images), dtype=torch.bool, device=images.device)
        for _ in range(self.steps):
            curve = torch.tanh(values)
            points = middle + reach * curve
            gradient, logits = crafting.ask(points, self._lack)
            enough = margin(logits, crafting.labels, crafting.targets) >= self.kappa
            crafting.judge(points, logits, where=enough)
            fooled |= enough
            # By hand, since the model's part is a gradient already: of the squared size and the margin, through tanh.
            slope = (2 * (points - images) - c * gradient) * reach * (1 - curve.square())
            values = values - adam.step(slope)
        return fooled

    def _lack(self, logits: Tensor, labels: Tensor, targets: Tensor | None) -> Tensor:
        """Return the margin as far as it is wanted."""
        return margin(logits, labels, targets).clamp(max=self.kappa)
