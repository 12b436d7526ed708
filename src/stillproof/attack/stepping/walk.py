"""Images on their way, step by step."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from stillproof.attack.base.crafting import Crafting


@dataclass
class Walk:
    """Where images are after some steps, and what an attack remembers of each.

    Args:
        crafting: The images and their model.
        points: Where they are, (N, C, H, W).
        number: The step, from 0.
        memory: What the attack keeps from step to step, one row per image.
    """

    crafting: Crafting
    points: Tensor
    number: int = 0
    memory: dict[str, Tensor] = field(default_factory=dict)

    @property
    def images(self) -> Tensor:
        """Return the clean images."""
        return self.crafting.images

    def remembered(self, name: str) -> Tensor:
        """Return what was kept under a name, in the shape of the images; zeros at first."""
        return self.memory[name] if name in self.memory else torch.zeros_like(self.points)

    def without_fooled(self, gradient: Tensor) -> tuple[Walk, Tensor]:
        """Return the images that go on, and their part of a gradient."""
        kept = self.crafting.staying()
        if bool(kept.all()):
            return self, gradient
        memory = {name: rows[kept] for name, rows in self.memory.items()}
        return Walk(self.crafting.only(kept), self.points[kept], self.number, memory), gradient[kept]
