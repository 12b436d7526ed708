"""Dataset condensation with gradient matching."""

from __future__ import annotations

from dataclasses import dataclass

from stillproof.core.components import distillers
from stillproof.distill.gradient_matching import GradientMatching


@distillers.register("dc", version=1, paper="arXiv:2006.05929")
@dataclass(frozen=True)
class DatasetCondensation(GradientMatching):
    """Match the gradients that real and synthetic images of each class give, in networks trained on the latter.

    Args:
        steps: Networks drawn; each is met at the start and along its training.
        outer_loop: Updates of the images with one network.
        inner_loop: Epochs of training on the synthetic images between two updates.
        lr: Step size on images, in normalised space.
        momentum: Momentum on images.
        batch_real: Real images a class and update; at most as many as the smallest class has.
        lr_net: Step size of the network's training.
        batch_net: Images a step of the network's training.
        distance: Between gradients: 1 - cosine of every unit's weights, summed; or squared error or 1 - cosine of all.
        init: Where the images start.
        on_divergence: Fail, or go back and on with half the step size, when the loss is no longer finite.
    """
