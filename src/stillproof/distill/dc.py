"""Dataset condensation with gradient matching."""

from __future__ import annotations

from dataclasses import dataclass

from stillproof.core.components import distillers
from stillproof.distill.gradients.gradient_matching import GradientMatching


@distillers.register("dc", version=1, paper="arXiv:2006.05929")
@dataclass(frozen=True)
class DatasetCondensation(GradientMatching):
    """Match the gradients that real and synthetic images of each class give, in networks trained on the latter."""
