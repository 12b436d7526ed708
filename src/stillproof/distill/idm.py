"""IDM, improved distribution matching: the mean embeddings of grids, in networks of all ages, equal the real ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from stillproof.core.components import distillers
from stillproof.core.dsa_strategy import NO_MIRRORED_DIGITS
from stillproof.core.presets import Preset
from stillproof.distill.grids.multi_formation import LAPTOP, PUBLISHED, MultiFormation


@distillers.register("idm", version=1, paper="arXiv:2307.09742")
@dataclass(frozen=True)
class IDM(MultiFormation):
    """Match class means of the embeddings of four images in one, and the classes that trained networks see there."""

    presets: ClassVar[Sequence[Preset]] = (
        *PUBLISHED,
        # Its command line says 10; the authors corrected that when asked.
        Preset("paper", {"model_train_steps": 40}, datasets=("cifar100",), min_ipc=50),
        # A test in its code is the wrong way round there, and not in BACON's.
        Preset("paper", {"start": "whole"}, datasets=("tiny_imagenet",)),
        *LAPTOP,
        *NO_MIRRORED_DIGITS,
    )

    def distance(self, found: Tensor, mean: Tensor, std: Tensor) -> Tensor:
        """Return the squared distance of means."""
        return (found - mean).square().sum()
