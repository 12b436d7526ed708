"""BACON: as IDM, with the likelihood of synthetic embeddings under the real ones in place of a distance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from stillproof.core.components import distillers
from stillproof.core.dsa_strategy import WITHOUT_FLIP
from stillproof.core.presets import SCALES, Preset
from stillproof.distill.grids.multi_formation import LAPTOP, PUBLISHED, MultiFormation

TV_WEIGHT = 0.8


@distillers.register("bacon", version=1, paper="arXiv:2406.01112")
@dataclass(frozen=True)
class BACON(MultiFormation):
    """Make the mean embeddings of four images in one likely under a Gaussian of the real embeddings of their class."""

    presets: ClassVar[Sequence[Preset]] = (
        *PUBLISHED,
        Preset("paper", {"ce_weight": 0.5, "forget_interval": 100}, datasets=("mnist", "fashion_mnist")),
        Preset("paper", {"model_train_steps": 50}, datasets=("tiny_imagenet",), min_ipc=10),
        *LAPTOP,
        # The authors mirror MNIST and SVHN too; digits of scikit-learn are not in their paper.
        *(Preset(scale, {"strategy": WITHOUT_FLIP}, ("digits",)) for scale in SCALES),
    )

    def distance(self, found: Tensor, mean: Tensor, std: Tensor) -> Tensor:
        """Return the negative log likelihood and the weighted total variation.

        The standard deviation of the Gaussian is exp(std), as in the authors' code. That code takes the logarithm of
        the density, which is 0 far from the mean; this is the logarithm itself. It has a third, clipping term between
        the means of two softmax vectors, which are both 1 / D: it is always 0, and left out.
        """
        gap = found - mean
        likelihood = 0.5 * (gap / std.exp()).square() + std + 0.5 * math.log(2 * math.pi)
        return (likelihood + TV_WEIGHT * 0.5 * gap.abs()).sum()
