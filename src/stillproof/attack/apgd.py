"""APGD: PGD with momentum, whose step size adapts to each image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from torch import Tensor

from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.norms import Norm, by_image, sizes
from stillproof.attack.base.starts import anywhere
from stillproof.attack.stepping.adaptive import checked, moved, noted
from stillproof.attack.stepping.few_classes import note_few_classes, ratio_where_possible
from stillproof.attack.stepping.steepest import steepest
from stillproof.attack.stepping.step_attack import StepAttack
from stillproof.attack.stepping.walk import Walk
from stillproof.core.components import attacks
from stillproof.core.presets import Preset


@attacks.register(
    "apgd",
    version=1,
    paper="arXiv:2003.01690",
    names={"apgd-ce": {"loss": "ce"}, "apgd-dlr": {"loss": "dlr"}},
)
@dataclass(frozen=True)
class APGD(StepAttack):
    """Go up the gradient in long steps, and halve them for each image when its loss grows no more.

    Args:
        eps: Radius of the ball, in pixels of [0, 1].
        steps: Number of steps.
        norm: Norm of the ball.
        loss: What shall grow: the cross-entropy, or the ratio of differences of logits.
        restarts: How often to begin anew with the images that are not fooled yet.
        rho: Share of steps in which the loss must grow for them to stay as long as they are.
    """

    steps: int = 100
    norm: Literal["Linf", "L2"] = "Linf"
    loss: Literal["ce", "dlr"] = "ce"
    restarts: int = 1
    rho: float = 0.75

    presets: ClassVar[Sequence[Preset]] = (Preset("smoke", {"steps": 8}),)

    def __post_init__(self) -> None:
        """Refuse steps that lead nowhere."""
        super().__post_init__()
        for name in ("steps", "restarts"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if not 0 < self.rho < 1:
            raise ValueError(f"rho must lie between 0 and 1, not at {self.rho:g}")

    @property
    def measured_in(self) -> Norm:
        """Return the norm of the ball."""
        return self.norm

    @property
    def step_count(self) -> int:
        """Return the number of steps."""
        return self.steps

    @property
    def tries(self) -> int:
        """Return the number of restarts."""
        return self.restarts

    def start(self, crafting: Crafting) -> Tensor:
        """Return a point in the cube of Linf, or at the border of the ball of L2."""
        images = crafting.images
        change = anywhere(images, self.norm, self.eps, crafting.streams, "start")
        if self.norm == "L2":
            change = change * by_image(self.eps / sizes(change, "L2").clamp(min=1e-30), images)
        return crafting.limits.project(images, images + change)

    def gradient(self, walk: Walk) -> Tensor:
        """Return the gradient of the loss, and remember the best points."""
        crafting = walk.crafting
        loss = crafting.cross_entropy if self.loss == "ce" else ratio_where_possible
        gradient, logits = crafting.ask(walk.points, loss)
        if self.loss == "dlr":
            note_few_classes(crafting.victim, logits, crafting.targets)
        crafting.judge(walk.points, logits)
        noted(walk, gradient, loss(logits, crafting.labels, crafting.targets), 2 * self.eps)
        return gradient

    def update(self, walk: Walk, gradient: Tensor) -> Tensor:
        """Make a step, shorter than before if this is a checkpoint and the image makes no progress."""
        gradient = checked(walk, gradient, self.steps, self.rho)
        direction = steepest(gradient, self.norm, walk.images, walk.points, walk.crafting.limits)
        return moved(walk, direction)
