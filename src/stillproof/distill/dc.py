"""Dataset condensation with gradient matching."""

from __future__ import annotations

from dataclasses import dataclass

from stillproof.core.components import distillers
from stillproof.distill.gradients.gradient_matching import GradientMatching
from stillproof.nets.body import Body
from stillproof.nets.build import has_batch_norm
from stillproof.sets.usual_recipes import dc_recipe


@distillers.register("dc", version=1, paper="arXiv:2006.05929")
@dataclass(frozen=True)
class DatasetCondensation(GradientMatching):
    """Match the gradients that real and synthetic images of each class give, in networks trained on the latter."""

    def recipe_for(self, dataset: str, body: Body) -> str:
        """Return the authors' recipe for this network; ``stillproof train`` asks the one that it trains."""
        return dc_recipe(dataset, batch_norm=has_batch_norm(body))
