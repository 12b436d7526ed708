"""Dataset condensation with differentiable Siamese augmentation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stillproof.core.components import distillers
from stillproof.distill.gradient_matching import GradientMatching
from stillproof.distill.initial import Init


@distillers.register("dsa", version=1, paper="arXiv:2102.08259")
@dataclass(frozen=True)
class SiameseCondensation(GradientMatching):
    """Match gradients as dc does, with the same random change for the real and synthetic images of a class.

    The networks between are trained on augmented images too, and so should be those that use the result.

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

    init: Init = "real"

    augmented: ClassVar[bool] = True
    recipe: ClassVar[str] = "dc-bench-dsa"
