"""UPGD: PGD with all that makes it stronger at once: momentum, normalised gradients, their mean, other losses."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from stillproof.attack.base.losses import LOSSES, LossName
from stillproof.attack.eotpgd import EOTPGD, mean_gradient
from stillproof.attack.stepping.momentum import with_momentum
from stillproof.attack.stepping.steepest import steepest
from stillproof.attack.stepping.walk import Walk
from stillproof.core.components import attacks


@attacks.register("upgd", version=1)
@dataclass(frozen=True)
class UPGD(EOTPGD):
    """Go in the direction that the normalised mean gradients of all steps agree on.

    Args:
        eps: Radius of the ball, in pixels of [0, 1].
        step: Size of a step; a quarter of eps if none is given.
        steps: Number of steps.
        norm: Norm of the ball.
        random_start: Whether to begin anywhere in the ball, and not at the image.
        restarts: How often to begin anew with the images that are not fooled yet.
        samples: Number of gradients for each step.
        decay: How much of earlier gradients is left with each step.
        loss: What shall grow: the cross-entropy, the margin of the best wrong class, or the ratio of differences of
            logits.
    """

    random_start: bool = False
    samples: int = 1
    decay: float = 1.0
    loss: LossName = "ce"

    def gradient(self, walk: Walk) -> Tensor:
        """Return the mean gradient of the loss."""
        return mean_gradient(walk, None if self.loss == "ce" else LOSSES[self.loss], self.samples)

    def update(self, walk: Walk, gradient: Tensor) -> Tensor:
        """Make a step."""
        agreed = with_momentum(walk, gradient, self.decay)
        direction = steepest(agreed, self.norm, walk.images, walk.points, walk.crafting.limits)
        return walk.points + self.step_size * direction
