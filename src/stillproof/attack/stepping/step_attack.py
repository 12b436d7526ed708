"""The loop of all attacks that go step by step up a gradient; a leaf writes the update."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from stillproof.attack.base.attack import BoundedAttack
from stillproof.attack.base.crafting import Crafting
from stillproof.attack.stepping.walk import Walk


class StepAttack(BoundedAttack):
    """Base of attacks that go step by step, once unless ``step_count`` says otherwise; a subclass has ``update``."""

    @property
    def step_count(self) -> int:
        """Return the number of steps."""
        return 1

    @property
    def gradients_per_step(self) -> int:
        """Return the number of gradients for each step."""
        return 1

    @property
    def passes(self) -> float:
        """Return the most passes of one image: the clean one, two for each gradient, one to see what came of it."""
        return 1 + self.tries * (2 * self.gradients_per_step * self.step_count + 1)

    def start(self, crafting: Crafting) -> Tensor:
        """Return where the steps begin: at the clean images."""
        return crafting.images

    def gradient(self, walk: Walk) -> Tensor:
        """Return the direction to go in, (N, C, H, W): the gradient of the cross-entropy."""
        return walk.crafting.gradient(walk.points)

    def update(self, walk: Walk, gradient: Tensor) -> Tensor:
        """Return where the images are after a step; they are put back within the limits."""
        raise NotImplementedError

    def craft(self, crafting: Crafting) -> None:
        """Make the steps; images that are fooled leave, where they may."""
        limits = crafting.limits
        walk = Walk(crafting, self.start(crafting))
        for number in range(self.step_count):
            walk.number = number
            walk, gradient = walk.without_fooled(self.gradient(walk))
            if not len(walk.crafting):
                return
            walk.points = limits.project(walk.images, self.update(walk, gradient))
        walk.crafting.finish(walk.points)


@dataclass(frozen=True)
class IteratedAttack(StepAttack):
    """Base of attacks that make several steps.

    Args:
        eps: Radius of the ball, in pixels of [0, 1].
        step: Step size; a quarter of eps by default.
        steps: Number of steps.
    """

    step: float | None = None
    steps: int = 10

    def __post_init__(self) -> None:
        """Refuse steps that lead nowhere."""
        super().__post_init__()
        if self.step is not None and not self.step > 0:
            raise ValueError(f"step must be above 0, not {self.step:g}")
        if self.steps < 1:
            raise ValueError(f"steps must be at least 1, not {self.steps}")

    @property
    def step_count(self) -> int:
        """Return the number of steps."""
        return self.steps

    @property
    def step_size(self) -> float:
        """Return the size of a step."""
        return self.eps / 4 if self.step is None else self.step
