"""How a meta-learned defence is trained, as MAD's paper says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from stillproof.core.components import recipes
from stillproof.train.recipe import Recipe


@recipes.register("meta-at", version=1, paper="doi:10.1007/s11432-024-4880-x")
@dataclass(frozen=True)
class MetaRecipe(Recipe):
    """Ten epochs of 100 episodes, five on MNIST; table 1 of the paper with all of its tricks.

    Its code has SGD with momentum 0.9, weight decay 5e-4 and a step size of 0.01 that drops after 5 and 7 epochs.
    """

    epochs: int = 10
    lr: float = 0.001
    momentum: float = 0.0
    weight_decay: float = 0.0
    clip: float = 1.0
    objective: str = "meta-at"

    by_dataset: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        name: {"epochs": 5} for name in ("mnist", "fashion_mnist", "digits")
    }
