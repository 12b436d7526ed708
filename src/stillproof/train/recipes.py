"""The named recipes; they live apart from the loop so that a new one does not change what the others are called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from stillproof.core.components import recipes
from stillproof.core.dsa_strategy import DIGIT_SETS, WITHOUT_FLIP
from stillproof.train.recipe import Recipe, Schedule


@recipes.register("dc-bench", version=1, paper="arXiv:2207.09639")
@dataclass(frozen=True)
class DCBench(Recipe):
    """DC-Bench without augmentation: 300 epochs of SGD."""

    # The original counts to 300 inclusive, drops the step size after the 152nd pass and makes a new optimiser there.
    epochs: int = 301
    decay_epochs: tuple[int, ...] = (152,)
    reset_momentum: bool = True
    curve_points: int = 3


@recipes.register("dc-bench-dsa", version=1, paper="arXiv:2207.09639")
@dataclass(frozen=True)
class DCBenchDSA(DCBench):
    """DC-Bench with differentiable siamese augmentation: 1000 epochs of SGD; digits are not mirrored."""

    epochs: int = 1001
    decay_epochs: tuple[int, ...] = (502,)
    augment: str = "dsa"
    curve_points: int = 4

    by_dataset: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        name: {"augment": f"dsa(strategy={WITHOUT_FLIP})"} for name in DIGIT_SETS
    }


@recipes.register("nas-search", version=1, paper="arXiv:2207.09639")
@dataclass(frozen=True)
class ArchitectureSearch(Recipe):
    """An architecture that is judged in a search, as DC-Bench does it: 50 epochs of SGD without augmentation."""

    # The original forgets to shuffle distilled sets: nas-search:shuffle=false.
    epochs: int = 50
    batch: int = 64
    lr: float = 0.025
    weight_decay: float = 3e-4
    schedule: Schedule = "cosine"
    final_lr: float = 0.001
    clip: float = 5.0
    curve_points: int = 1


@recipes.register("real", version=1, paper="arXiv:2505.13300")
@dataclass(frozen=True)
class RealData(Recipe):
    """Full data: 200 epochs of SGD with one drop, as DD-Ranking trains its real-data reference."""

    epochs: int = 200
    batch: int = 512
    decay_epochs: tuple[int, ...] = (100,)
    curve_points: int = 4


@recipes.register("teacher", version=1, paper="arXiv:2306.13092")
@dataclass(frozen=True)
class Teacher(Recipe):
    """A network whose answers others learn from, as SRe2L squeezes a data set: 200 epochs of SGD with crops and flips.

    Digits are not mirrored.
    """

    epochs: int = 200
    batch: int = 128
    lr: float = 0.1
    schedule: Schedule = "cosine"
    augment: str = "crop-flip"

    by_dataset: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        name: {"augment": "crop-flip(flip=false)"} for name in DIGIT_SETS
    }


@recipes.register("teacher-quick", version=1)
@dataclass(frozen=True)
class QuickTeacher(Teacher):
    """A teacher on a laptop: twenty epochs in smaller batches."""

    epochs: int = 20
    batch: int = 64
    lr: float = 0.05


@recipes.register("teacher-tiny", version=1, paper="arXiv:2306.13092")
@dataclass(frozen=True)
class TinyTeacher(Recipe):
    """A teacher of Tiny-ImageNet, as SRe2L's authors squeeze it: 50 epochs of SGD with resized crops and flips."""

    epochs: int = 50
    lr: float = 0.2
    weight_decay: float = 1e-4
    schedule: Schedule = "cosine"
    warmup: int = 5
    augment: str = "rded-aug(min_scale=0.08,mixed=false)"


@recipes.register("teacher-imagenet", version=1, paper="arXiv:1512.03385")
@dataclass(frozen=True)
class ImageNetTeacher(Recipe):
    """A teacher of ImageNet, as torchvision trained the ResNets that others take: 90 epochs of SGD with two drops."""

    epochs: int = 90
    lr: float = 0.1
    weight_decay: float = 1e-4
    decay_epochs: tuple[int, ...] = (30, 60)
    augment: str = "rded-aug(min_scale=0.08,mixed=false)"


@recipes.register("fkd", version=1, paper="arXiv:2112.01528, arXiv:2306.13092")
@dataclass(frozen=True)
class RecordedLabels(Recipe):
    """SRe2L on labels that were recorded epoch by epoch: 300 epochs of AdamW towards the teacher's softened answers."""

    epochs: int = 300
    batch: int = 1024
    optimiser: Literal["sgd", "adam", "adamw"] = "adamw"
    lr: float = 0.001
    weight_decay: float = 0.01
    # The authors' code has both of these; their paper does not mention them.
    decay_vectors: bool = False
    parts: int = 2
    schedule: Schedule = "cosine"
    objective: str = "kl(temperature=20)"
    curve_points: int = 4


@recipes.register("expert", version=1, paper="arXiv:2203.11932")
@dataclass(frozen=True)
class Expert(Recipe):
    """Plain SGD with DSA on real images, as MTT trains the networks whose trajectories it matches."""

    epochs: int = 50
    momentum: float = 0.0
    weight_decay: float = 0.0
    augment: str = "dsa"
    curve_points: int = 50


@recipes.register("quick", version=1)
@dataclass(frozen=True)
class Quick(Recipe):
    """A hundred epochs for small distilled sets on a laptop."""

    epochs: int = 100
    decay_epochs: tuple[int, ...] = (50,)
    curve_points: int = 4


@recipes.register("quick-real", version=1)
@dataclass(frozen=True)
class QuickReal(Recipe):
    """Fifteen epochs of full data on a laptop."""

    epochs: int = 15
    batch: int = 64
    decay_epochs: tuple[int, ...] = (10,)
    curve_points: int = 3


@recipes.register("smoke", version=1)
@dataclass(frozen=True)
class Smoke(Recipe):
    """Two epochs: shows that everything is connected, and no more."""

    epochs: int = 2
    curve_points: int = 2
