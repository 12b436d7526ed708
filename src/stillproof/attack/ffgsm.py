"""FFGSM: one step from a random start, as Fast-AT makes it."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.starts import anywhere
from stillproof.attack.stepping.step_attack import StepAttack
from stillproof.attack.stepping.walk import Walk
from stillproof.core.components import attacks


@attacks.register("ffgsm", version=1, paper="arXiv:2001.03994")
@dataclass(frozen=True)
class FFGSM(StepAttack):
    """Start at a random point of the ball, and move every pixel by one step against the true class.

    Args:
        eps: Radius of the ball, in pixels of [0, 1].
        step: Step size; 1.25 times eps by default.
    """

    step: float | None = None

    def __post_init__(self) -> None:
        """Refuse a step that leads nowhere."""
        super().__post_init__()
        if self.step is not None and not self.step > 0:
            raise ValueError(f"step must be above 0, not {self.step:g}")

    def start(self, crafting: Crafting) -> Tensor:
        """Return a point anywhere in the ball."""
        change = anywhere(crafting.images, "Linf", self.eps, crafting.streams, "start")
        return crafting.limits.project(crafting.images, crafting.images + change)

    def update(self, walk: Walk, gradient: Tensor) -> Tensor:
        """Make the step."""
        return walk.points + (1.25 * self.eps if self.step is None else self.step) * gradient.sign()
