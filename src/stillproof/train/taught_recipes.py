"""The recipes of methods whose sets are trained on under a teacher: what their authors evaluate with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from stillproof.core.components import recipes
from stillproof.core.dsa_strategy import DIGIT_SETS
from stillproof.train.recipe import Recipe, Schedule


@recipes.register("rded", version=1, paper="arXiv:2312.03526")
@dataclass(frozen=True)
class RDED(Recipe):
    """RDED's sets: 300 epochs of AdamW towards a teacher's softened answers; digits are not mirrored.

    The authors test every tenth epoch of the last fifth and report the best. Their loop also takes every batch through
    the network once more before its step, only to print an accuracy, which moves the statistics of batch norms twice.
    """

    epochs: int = 300
    batch: int = 50  # of 10 images per class; RDED's own sets name theirs
    optimiser: Literal["sgd", "adam", "adamw"] = "adamw"
    lr: float = 0.001
    weight_decay: float = 0.01
    decay_vectors: bool = False
    schedule: Schedule = "cosine-to-half"
    augment: str = "rded-aug"
    objective: str = "kl(temperature=20)"
    curve_points: int = 4

    by_dataset: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        name: {"augment": "rded-aug(flip=false)"} for name in DIGIT_SETS
    }


@recipes.register("sre2l", version=1, paper="arXiv:2306.13092")
@dataclass(frozen=True)
class SRe2L(Recipe):
    """SRe2L's sets of small images: 400 epochs of AdamW towards a teacher's softened answers; digits are not mirrored.

    In the authors' code for CIFAR the teacher is left in training mode: its batch norms see the statistics of each
    mixed batch, and go on learning from it. Here a teacher answers as it was trained.
    """

    epochs: int = 400
    batch: int = 128
    optimiser: Literal["sgd", "adam", "adamw"] = "adamw"
    lr: float = 0.001
    weight_decay: float = 0.01
    schedule: Schedule = "cosine"
    augment: str = "sre2l-aug"
    objective: str = "kl(temperature=30)"
    curve_points: int = 4

    by_dataset: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        name: {"augment": "sre2l-aug(flip=false)"} for name in DIGIT_SETS
    }


@recipes.register("sre2l-tiny", version=1, paper="arXiv:2306.13092")
@dataclass(frozen=True)
class SRe2LTiny(Recipe):
    """SRe2L's sets of Tiny-ImageNet: 100 epochs of SGD towards a teacher's softened answers, nothing is mixed."""

    epochs: int = 100
    batch: int = 256
    lr: float = 0.2
    weight_decay: float = 1e-4
    schedule: Schedule = "cosine"
    warmup: int = 5
    augment: str = "rded-aug(min_scale=0.08,mixed=false)"
    objective: str = "kl(temperature=20,scale=true)"
    curve_points: int = 4
