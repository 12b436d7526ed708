"""How MAD trains its robust baselines; what it leaves open is as in the code of each one's authors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from stillproof.core.components import recipes
from stillproof.core.mad_baselines import LIKE_MNIST
from stillproof.train.recipe import Recipe, Schedule


def _by_dataset(augment: str = "crop-flip(flip=false)", **digits: Any) -> Mapping[str, Mapping[str, Any]]:
    """Return what differs: on what is like MNIST these parameters, none of it augmented; no mirrored house numbers."""
    return {name: {"augment": "none", **digits} for name in LIKE_MNIST} | {"svhn": {"augment": augment}}


@recipes.register("r-at", version=1, paper="arXiv:2010.00467")
@dataclass(frozen=True)
class RobustAT(Recipe):
    """110 epochs of SGD with drops at 100 and 105, as Bag of Tricks for Adversarial Training has them.

    Its crops come out of a mirrored border, ours out of a black one. When the step size drops within MAD's 15 epochs of
    MNIST is not published; it is near the end here too.
    """

    epochs: int = 110
    batch: int = 128
    lr: float = 0.1
    decay_epochs: tuple[int, ...] = (100, 105)
    augment: str = "crop-flip"
    curve_points: int = 4

    by_dataset: ClassVar[Mapping[str, Mapping[str, Any]]] = _by_dataset(
        epochs=15, batch=64, lr=0.01, decay_epochs=(13, 14)
    )


@recipes.register("r-fast", version=1, paper="arXiv:2001.03994")
@dataclass(frozen=True)
class RobustFast(Recipe):
    """15 epochs of SGD in one cycle; on digits 10 of Adam, whose step size is largest after 4 of them."""

    epochs: int = 15
    batch: int = 128
    optimiser: Literal["sgd", "adam", "adamw"] = "sgd"
    lr: float = 0.2
    schedule: Schedule = "cyclic"
    augment: str = "crop-flip"
    curve_points: int = 3

    by_dataset: ClassVar[Mapping[str, Mapping[str, Any]]] = _by_dataset(
        epochs=10, optimiser="adam", lr=0.005, weight_decay=0.0, warmup=4
    )


@recipes.register("r-free", version=1, paper="arXiv:1904.12843")
@dataclass(frozen=True)
class RobustFree(Recipe):
    """10 epochs of SGD in one cycle, in each of which every batch is replayed."""

    epochs: int = 10
    batch: int = 128
    lr: float = 0.04
    schedule: Schedule = "cyclic"
    augment: str = "crop-flip"
    curve_points: int = 2

    by_dataset: ClassVar[Mapping[str, Mapping[str, Any]]] = _by_dataset()


@recipes.register("r-yopo", version=1, paper="arXiv:1905.00877")
@dataclass(frozen=True)
class RobustYOPO(Recipe):
    """38 epochs of SGD; 40 on digits.

    The authors' shortest training has the drops, and their TRADES-YOPO the step size: without TRADES, gradients of all
    passes add up, and it is divided by their number.
    """

    epochs: int = 38
    lr: float = 0.2
    decay_epochs: tuple[int, ...] = (30, 34, 36)
    augment: str = "crop-flip"
    curve_points: int = 2

    by_dataset: ClassVar[Mapping[str, Mapping[str, Any]]] = _by_dataset(epochs=40, lr=0.01, decay_epochs=(30, 35, 39))


@recipes.register("r-atta", version=1, paper="arXiv:1912.11969")
@dataclass(frozen=True)
class RobustATTA(Recipe):
    """38 epochs of SGD; 60 on digits. The defence crops and mirrors images by itself."""

    epochs: int = 38
    batch: int = 64
    lr: float = 0.1
    weight_decay: float = 2e-4
    decay_epochs: tuple[int, ...] = (29, 35)  # the authors count passes from 1, and drop before the 30th
    curve_points: int = 2

    by_dataset: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        name: {"epochs": 60, "batch": 128, "lr": 0.01, "weight_decay": 0.0, "decay_epochs": (54,)}
        for name in LIKE_MNIST
    }
