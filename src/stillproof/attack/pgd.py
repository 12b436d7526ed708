"""PGD: steps up the gradient, each put back into the ball, from a random start."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.norms import Norm
from stillproof.attack.base.starts import anywhere
from stillproof.attack.stepping.steepest import steepest
from stillproof.attack.stepping.step_attack import IteratedAttack
from stillproof.attack.stepping.walk import Walk
from stillproof.core.components import attacks


@attacks.register(
    "pgd",
    version=1,
    paper="arXiv:1706.06083",
    names={
        # 128/255. BEARD's step of 15/255 fits that eps alone, and would not reach the border of a larger ball.
        "pgd-l2": {"norm": "L2", "eps": 0.5019607843137255},
        "pgd-l1": {"norm": "L1", "eps": 12.0},
    },
)
@dataclass(frozen=True)
class PGD(IteratedAttack):
    """Take steps up the gradient, projected back into the ball after each one.

    Args:
        eps: Radius of the ball, in pixels of [0, 1].
        step: Step size; a quarter of eps by default.
        steps: Number of steps.
        norm: Norm of the ball.
        random_start: Whether to start at a random point of the ball instead of at the image.
        restarts: Number of runs, each on the images that are not fooled yet.
    """

    norm: Norm = "Linf"
    random_start: bool = True
    restarts: int = 1

    def __post_init__(self) -> None:
        """Refuse a number of restarts that means nothing."""
        super().__post_init__()
        if self.restarts < 1 or (self.restarts > 1 and not self.random_start):
            raise ValueError(f"restarts = {self.restarts} needs random_start, and must be at least 1")

    @property
    def measured_in(self) -> Norm:
        """Return the norm of the ball."""
        return self.norm

    @property
    def tries(self) -> int:
        """Return the number of restarts."""
        return self.restarts

    def start(self, crafting: Crafting) -> Tensor:
        """Return a point anywhere in the ball, or the image."""
        if not self.random_start:
            return crafting.images
        change = anywhere(crafting.images, self.norm, self.eps, crafting.streams, "start")
        return crafting.limits.project(crafting.images, crafting.images + change)

    def update(self, walk: Walk, gradient: Tensor) -> Tensor:
        """Make a step."""
        direction = steepest(gradient, self.norm, walk.images, walk.points, walk.crafting.limits)
        return walk.points + self.step_size * direction
