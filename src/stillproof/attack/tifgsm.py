"""TI-FGSM: gradients are blurred, so that a shifted image would be attacked alike."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.attack.difgsm import DIFGSM
from stillproof.attack.stepping.walk import Walk
from stillproof.core.components import attacks

SIGMAS = 3.0  # of the normal distribution, from the middle of the kernel to its edge


@attacks.register("tifgsm", version=1, paper="arXiv:1904.02884")
@dataclass(frozen=True)
class TIFGSM(DIFGSM):
    """Take steps along a blurred gradient, as the mean over shifted images would be.

    Args:
        eps: Radius of the ball, in pixels of [0, 1].
        step: Step size; a quarter of eps by default.
        steps: Number of steps.
        decay: Decay of the momentum with each step.
        resize: The smallest copy that the model sees, as a share of an image's size.
        diversity: Probability that the model sees such a copy instead of the image.
        kernel: Width of the blur, in pixels; odd.
    """

    kernel: int = 15

    def __post_init__(self) -> None:
        """Refuse a blur without a middle."""
        super().__post_init__()
        if self.kernel < 1 or self.kernel % 2 == 0:
            raise ValueError(f"kernel must be odd and at least 1, not {self.kernel}")

    def gradient(self, walk: Walk) -> Tensor:
        """Return the blurred gradient."""
        gradient = super().gradient(walk)
        line = torch.exp(-torch.linspace(-SIGMAS, SIGMAS, self.kernel).square() / 2).to(gradient)
        blur = torch.outer(line, line) / line.sum().square()
        channels = gradient.shape[1]
        return F.conv2d(gradient, blur.expand(channels, 1, -1, -1), padding="same", groups=channels)
