"""Dataset condensation with differentiable Siamese augmentation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from stillproof.core.components import distillers
from stillproof.core.dsa_strategy import NO_MIRRORED_DIGITS, WITH_FLIP
from stillproof.core.presets import Preset
from stillproof.distill.gradients.gradient_matching import LOOPS, GradientMatching
from stillproof.distill.learning.first_images import Init
from stillproof.nets.body import Body
from stillproof.sets.usual_recipes import dsa_recipe
from stillproof.transforms.dsa import DSA


@distillers.register("dsa", version=1, paper="arXiv:2102.08259")
@dataclass(frozen=True)
class SiameseCondensation(GradientMatching):
    """Match gradients as dc does, with the same random change for the real and synthetic images of a class.

    The networks in between are trained on augmented images too, and so should be those that use the result.
    ``strategy`` has the operations to choose from, joined by underscores.
    """

    init: Init = "real"
    strategy: str = WITH_FLIP

    presets: ClassVar[Sequence[Preset]] = (*LOOPS, *NO_MIRRORED_DIGITS)

    @property
    def augment(self) -> DSA:
        """Return what changes real and synthetic images alike."""
        return DSA(self.strategy)

    def recipe_for(self, dataset: str, body: Body) -> str:
        """Return the authors' recipe: with the same changes."""
        return dsa_recipe(self.strategy)
