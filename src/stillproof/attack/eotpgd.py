"""EOT-PGD: PGD on the mean gradient of a model that answers at random."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.attack.base.losses import Loss
from stillproof.attack.pgd import PGD
from stillproof.attack.stepping.walk import Walk
from stillproof.core.components import attacks


@attacks.register("eotpgd", version=1, paper="arXiv:1907.00895")
@dataclass(frozen=True)
class EOTPGD(PGD):
    """Take steps up the mean of several gradients at the same point, projected back into the ball after each one.

    Args:
        eps: Radius of the ball, in pixels of [0, 1].
        step: Step size; a quarter of eps by default.
        steps: Number of steps.
        norm: Norm of the ball.
        random_start: Whether to start at a random point of the ball instead of at the image.
        restarts: Number of runs, each on the images that are not fooled yet.
        samples: Gradients averaged in each step.
    """

    samples: int = 2

    def __post_init__(self) -> None:
        """Refuse a mean of nothing."""
        super().__post_init__()
        if self.samples < 1:
            raise ValueError(f"samples must be at least 1, not {self.samples}")

    @property
    def gradients_per_step(self) -> int:
        """Return the number of gradients for each step."""
        return self.samples

    def gradient(self, walk: Walk) -> Tensor:
        """Return the mean gradient."""
        return mean_gradient(walk, None, self.samples)


def mean_gradient(walk: Walk, loss: Loss | None, samples: int) -> Tensor:
    """Return the mean of several gradients at the same points (expectation over transformation, arXiv:1707.07397).

    Each costs a forward pass and a backward pass.
    """
    return torch.stack([walk.crafting.gradient(walk.points, loss) for _ in range(samples)]).mean(0)
