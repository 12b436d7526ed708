"""APGD: PGD with momentum, whose step size adapts to each image."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import torch
from torch import Tensor

from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.losses import difference_of_logits_ratio, margin
from stillproof.attack.base.norms import Norm, by_image, sizes
from stillproof.attack.base.starts import anywhere
from stillproof.attack.base.victim import FEW_CLASSES, Victim
from stillproof.attack.stepping.steepest import steepest
from stillproof.attack.stepping.step_attack import StepAttack
from stillproof.attack.stepping.walk import Walk
from stillproof.core.components import attacks
from stillproof.core.presets import Preset

log = logging.getLogger("stillproof")

# As shares of all steps: the first time at which progress is looked at, by how much each wait is shorter than the one
# before, and the shortest.
FIRST, SHORTER, SHORTEST = 0.22, 0.03, 0.06
MOMENTUM = 0.25  # share of the last move in the next
NEEDED, NEEDED_WITH_TARGET = 3, 4  # classes, for the ratio of differences of logits


@attacks.register(
    "apgd",
    version=1,
    paper="arXiv:2003.01690",
    names={"apgd-ce": {"loss": "ce"}, "apgd-dlr": {"loss": "dlr"}},
)
@dataclass(frozen=True)
class APGD(StepAttack):
    """Take long steps up the gradient, and halve them for each image when its loss stops growing.

    Args:
        eps: Radius of the ball, in pixels of [0, 1].
        steps: Number of steps.
        norm: Norm of the ball.
        loss: Loss to maximise: the cross-entropy, or the difference-of-logits ratio (DLR).
        restarts: Number of runs, each on the images that are not fooled yet.
        rho: Share of steps in which the loss must grow for the step size to stay.
        samples: Gradients averaged in each step, for models that answer at random.
    """

    steps: int = 100
    norm: Literal["Linf", "L2"] = "Linf"
    loss: Literal["ce", "dlr"] = "ce"
    restarts: int = 1
    rho: float = 0.75
    samples: int = 1

    presets: ClassVar[Sequence[Preset]] = (Preset("smoke", {"steps": 8}),)

    def __post_init__(self) -> None:
        """Refuse steps that lead nowhere."""
        super().__post_init__()
        for name in ("steps", "restarts", "samples"):
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
    def gradients_per_step(self) -> int:
        """Return the number of gradients for each step."""
        return self.samples

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
        gradient, losses = self._asked(walk)
        for _ in range(self.samples - 1):
            another, more = self._asked(walk)
            gradient, losses = gradient + another, losses + more
        if self.samples > 1:
            # AutoAttack goes by the loss of the last draw alone, which has the best points at random again.
            gradient, losses = gradient / self.samples, losses / self.samples
        noted(walk, gradient, losses, 2 * self.eps)
        return gradient

    def _asked(self, walk: Walk) -> tuple[Tensor, Tensor]:
        """Return gradients and losses of one answer."""
        crafting = walk.crafting
        loss = crafting.cross_entropy if self.loss == "ce" else ratio_where_possible
        gradient, logits = crafting.ask(walk.points, loss)
        if self.loss == "dlr":
            note_few_classes(crafting.victim, logits, crafting.targets)
        crafting.judge(walk.points, logits)
        return gradient, loss(logits, crafting.labels, crafting.targets)

    def update(self, walk: Walk, gradient: Tensor) -> Tensor:
        """Make a step, shorter than before if this is a checkpoint and the image makes no progress."""
        gradient = checked(walk, gradient, self.steps, self.rho)
        direction = steepest(gradient, self.norm, walk.images, walk.points, walk.crafting.limits)
        return moved(walk, direction)


def checkpoints(steps: int) -> list[int]:
    """Return after how many steps progress is looked at, in rising order (section 3 of the paper)."""
    wait, shorter, shortest = (max(int(share * steps), 1) for share in (FIRST, SHORTER, SHORTEST))
    found, at = [], wait
    while at < steps:
        found.append(at)
        wait = max(wait - shorter, shortest)
        at += wait
    return found


def noted(walk: Walk, gradient: Tensor, losses: Tensor, step: float) -> None:
    """Remember the best points so far, and how often the loss grew; at first, begin with steps of a size."""
    memory = walk.memory
    if not walk.number:
        memory |= {"before": walk.points, "best": walk.points, "best_gradient": gradient}
        memory |= {"best_loss": losses, "loss": losses, "best_at_check": losses}
        memory |= {"step": torch.full_like(losses, step), "grew": torch.zeros_like(losses)}
        memory["halved"] = torch.ones_like(losses, dtype=torch.bool)
        return
    better = losses > memory["best_loss"]
    memory["best"] = torch.where(by_image(better, gradient), walk.points, memory["best"])
    memory["best_gradient"] = torch.where(by_image(better, gradient), gradient, memory["best_gradient"])
    memory["best_loss"] = torch.where(better, losses, memory["best_loss"])
    memory["grew"] = memory["grew"] + (losses > memory["loss"])
    memory["loss"] = losses


def checked(walk: Walk, gradient: Tensor, steps: int, rho: float) -> Tensor:
    """Halve, at a checkpoint, the steps of images that make no progress, and put these back to their best points.

    There is none if the loss grew in no more than a share ``rho`` of the steps, or if the step was left as it was the
    last time and the best loss is still the same.

    Returns:
        The gradient at the points where images are now.
    """
    waits = {at: at - before for before, at in pairwise([0, *checkpoints(steps)])}
    if walk.number not in waits:
        return gradient
    memory = walk.memory
    stuck = ~memory["halved"] & (memory["best_at_check"] >= memory["best_loss"])
    halve = (memory["grew"] <= rho * waits[walk.number]) | stuck
    memory["step"] = torch.where(halve, memory["step"] / 2, memory["step"])
    memory["halved"], memory["best_at_check"] = halve, memory["best_loss"]
    memory["grew"] = torch.zeros_like(memory["grew"])
    walk.points = torch.where(by_image(halve, gradient), memory["best"], walk.points)
    return torch.where(by_image(halve, gradient), memory["best_gradient"], gradient)


def moved(walk: Walk, direction: Tensor) -> Tensor:
    """Return where a step in a direction leads, with some of the last move in it."""
    points, memory = walk.points, walk.memory
    step = by_image(memory["step"], points) * direction
    ahead = walk.crafting.limits.project(walk.images, points + step)
    if not walk.number:
        return ahead
    last = points - memory["before"]
    memory["before"] = points
    return points + (1 - MOMENTUM) * (ahead - points) + MOMENTUM * last


def ratio_where_possible(logits: Tensor, labels: Tensor, targets: Tensor | None) -> Tensor:
    """Return the ratio of differences of logits; with too few classes the first alone, of the same sign.

    Attacks whose steps do not depend on the size of a gradient lose little by that: only the scale of logits, which
    the ratio takes out, is left in.
    """
    if enough(logits, targets):
        return difference_of_logits_ratio(logits, labels, targets)
    if targets is None:
        return margin(logits, labels, None)
    return (logits.gather(1, targets.unsqueeze(1)) - logits.gather(1, labels.unsqueeze(1))).squeeze(1)


def enough(logits: Tensor, targets: Tensor | None) -> bool:
    """Say whether there are classes enough for the ratio."""
    return logits.shape[1] >= (NEEDED if targets is None else NEEDED_WITH_TARGET)


def note_few_classes(victim: Victim, logits: Tensor, targets: Tensor | None) -> None:
    """Say once, and keep with the result, that another loss stands in for the ratio."""
    if enough(logits, targets) or FEW_CLASSES in victim.notes:
        return
    needed = NEEDED if targets is None else NEEDED_WITH_TARGET
    said = (
        f"the model has {logits.shape[1]} classes and the DLR loss compares {needed} logits: "
        "the plain difference of logits stands in for it."
    )
    victim.notes[FEW_CLASSES] = said
    log.warning("%s", said)
