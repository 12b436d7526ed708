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
    """Take steps along the normalised mean gradients accumulated over all steps so far.

    Args:
        eps: Radius of the ball, in pixels of [0, 1].
        step: Step size; a quarter of eps by default.
        steps: Number of steps.
        norm: Norm of the ball.
        random_start: Whether to start at a random point of the ball instead of at the image.
        restarts: Number of runs, each on the images that are not fooled yet.
        samples: Number of gradients for each step.
        decay: Decay of the momentum with each step.
        loss: Loss to maximise: the cross-entropy, the margin of the best wrong class, or the difference-of-logits
            ratio (DLR).
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
