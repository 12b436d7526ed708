"""Square: random search with squares, which asks the model for logits and never for gradients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from torch import Tensor

from stillproof.attack.base.attack import BoundedAttack
from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.losses import margin
from stillproof.attack.base.norms import Norm, by_image
from stillproof.attack.squares.pyramids import moved_mass, tiled
from stillproof.attack.squares.schedule import share_changed, side_of
from stillproof.attack.squares.windows import signs, windows
from stillproof.core.components import attacks
from stillproof.core.presets import Preset

DRAWN = 250  # queries whose draws are made at once: a generator for each of them would take as long as the model
LEAST = 3  # pixels, of a side in L2


@attacks.register("square", version=1, paper="arXiv:1912.00049")
@dataclass(frozen=True)
class Square(BoundedAttack):
    """Change a square at random, and keep what brings the best wrong class nearer.

    Args:
        eps: Radius of the ball, in pixels of [0, 1].
        queries: The most changed images that the model is asked about, for each image.
        norm: Norm of the ball.
        p_init: Share of an image that the first squares change.
        rescaled: Whether the schedule of the squares' size, made for 10,000 queries, is stretched over those there are.
        restarts: How often to begin anew with the images that are not fooled yet.
    """

    queries: int = 5000
    norm: Literal["Linf", "L2"] = "Linf"
    p_init: float = 0.8
    rescaled: bool = True
    restarts: int = 1

    presets: ClassVar[Sequence[Preset]] = (Preset("smoke", {"queries": 20}),)

    def __post_init__(self) -> None:
        """Refuse a search without questions."""
        super().__post_init__()
        for name in ("queries", "restarts"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if not 0 < self.p_init <= 1:
            raise ValueError(f"p_init must be above 0 and at most 1, not {self.p_init:g}")

    @property
    def measured_in(self) -> Norm:
        """Return the norm of the ball."""
        return self.norm

    @property
    def tries(self) -> int:
        """Return the number of restarts."""
        return self.restarts

    @property
    def passes(self) -> float:
        """Return the most passes of one image: the clean one, the queries, and the best of them once more."""
        return 1 + self.tries * (self.queries + 1)

    def craft(self, crafting: Crafting) -> None:
        """Propose and keep; images that are fooled leave, where they may."""
        best = self._start(crafting)
        lead = margin(crafting.logits(best), crafting.labels, crafting.targets)
        drawn = torch.empty(len(crafting), 0, device=best.device)
        crafting, best, lead, drawn = _left(crafting, best, lead, drawn)
        for number in range(self.queries - 1):
            if not len(crafting):
                return
            if number % DRAWN == 0:
                drawn = crafting.streams.uniform((DRAWN, 5 + best.shape[1]), "squares", number)
            points = self._proposal(crafting, best, drawn[:, number % DRAWN], number)
            found = margin(crafting.logits(points), crafting.labels, crafting.targets)
            better = found > lead
            best = torch.where(by_image(better, best), points, best)
            lead = torch.where(better, found, lead)
            crafting, best, lead, drawn = _left(crafting, best, lead, drawn)
        if len(crafting):
            crafting.finish(best)

    def _start(self, crafting: Crafting) -> Tensor:
        """Return vertical stripes at the border of the cube, or pyramids all over the image at that of the L2 ball."""
        images = crafting.images
        channels, height, width = images.shape[1:]
        if self.norm == "Linf":
            change = signs(crafting.streams.uniform((channels, 1, width), "stripes")).to(images)
        else:
            change = tiled(images, crafting.streams.uniform((channels + 1, height, width), "tiles"))
        return crafting.limits.project(images, images + self.eps * change)

    def _proposal(self, crafting: Crafting, best: Tensor, draws: Tensor, number: int) -> Tensor:
        """Return the best points so far with one square changed."""
        images, (height, width) = crafting.images, best.shape[2:]
        share = share_changed(number, self.queries if self.rescaled else None, self.p_init)
        if self.norm == "L2":
            side = side_of(share, height, width, LEAST)
            odd = min(side + 1 - side % 2, height, width)
            change = moved_mass(best - images, draws, odd, self.eps)
            return crafting.limits.project(images, images + change)
        square = windows(draws[:, :2], side_of(share, height, width), height, width).inside
        colour = self.eps * signs(draws[:, 5:, None, None]).to(images)
        return torch.where(square, crafting.limits.project(images, images + colour), best)


def _left(crafting: Crafting, best: Tensor, lead: Tensor, drawn: Tensor) -> tuple[Crafting, Tensor, Tensor, Tensor]:
    """Return the images that go on, and what belongs to them."""
    kept = crafting.staying()
    if bool(kept.all()):
        return crafting, best, lead, drawn
    return crafting.only(kept), best[kept], lead[kept], drawn[kept]
