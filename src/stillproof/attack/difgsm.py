"""DI-FGSM: small steps against what the model says of random copies."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from stillproof.attack.mifgsm import MIFGSM
from stillproof.attack.stepping.diversity import diverse_gradient
from stillproof.attack.stepping.walk import Walk
from stillproof.core.components import attacks


@attacks.register("difgsm", version=1, paper="arXiv:1803.06978")
@dataclass(frozen=True)
class DIFGSM(MIFGSM):
    """Take steps against the model's answer to randomly resized and padded copies of the image.

    Args:
        eps: Radius of the ball, in pixels of [0, 1].
        step: Step size; a quarter of eps by default.
        steps: Number of steps.
        decay: Decay of the momentum with each step.
        resize: Smallest size of a copy, as a share of the image's.
        diversity: Probability that the model sees such a copy instead of the image.
    """

    decay: float = 0.0
    resize: float = 0.9
    diversity: float = 0.5

    def __post_init__(self) -> None:
        """Refuse copies that cannot be made."""
        super().__post_init__()
        for name in ("resize", "diversity"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie in [0, 1], not {getattr(self, name):g}")

    def gradient(self, walk: Walk) -> Tensor:
        """Return the gradient of random copies."""
        return diverse_gradient(walk, self.resize, self.diversity)
