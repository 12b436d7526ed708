"""Dataset condensation with differentiable Siamese augmentation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stillproof.core.components import distillers
from stillproof.distill.gradients.gradient_matching import GradientMatching
from stillproof.distill.learning.first_images import Init


@distillers.register("dsa", version=1, paper="arXiv:2102.08259")
@dataclass(frozen=True)
class SiameseCondensation(GradientMatching):
    """Match gradients as dc does, with the same random change for the real and synthetic images of a class.

    The networks in between are trained on augmented images too, and so should be those that use the result.
    """

    init: Init = "real"

    augmented: ClassVar[bool] = True
    recipe: ClassVar[str] = "dc-bench-dsa"
