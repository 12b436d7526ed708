"""How BEARD trains the models that it attacks: as its code does, and as its paper says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from stillproof.core.components import recipes
from stillproof.train.recipes import DCBenchDSA


@recipes.register("beard", version=1, paper="arXiv:2411.09265")
@dataclass(frozen=True)
class Beard(DCBenchDSA):
    """BEARD's code: that of DC-Bench with DSA, 1001 epochs of SGD, but digits are mirrored too."""

    by_dataset: ClassVar[Mapping[str, Mapping[str, Any]]] = {}


@recipes.register("beard-adam", version=1, paper="arXiv:2411.09265")
@dataclass(frozen=True)
class BeardAdam(Beard):
    """The appendix A.1 of BEARD's paper, which its code contradicts: Adam at 1e-4 in batches of 128.

    Passes and augmentation are those of the code, since the paper does not state them; without weight decay and drop of
    the step size, of which it says nothing. It reports the best epoch on the test images: ``--selection oracle``.
    """

    batch: int = 128
    optimiser: Literal["sgd", "adam", "adamw"] = "adam"
    lr: float = 1e-4
    weight_decay: float = 0.0
    decay_epochs: tuple[int, ...] = ()
    reset_momentum: bool = False
