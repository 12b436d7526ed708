"""Matching training trajectories: training on the images should take a network where real training takes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import torch

from stillproof.core.components import distillers
from stillproof.core.context import Context
from stillproof.core.dsa_strategy import NO_MIRRORED_DIGITS, WITH_FLIP
from stillproof.core.imagenet_sets import SUBSETS
from stillproof.core.needs import Needs, TrainedBefore
from stillproof.core.presets import Preset
from stillproof.core.types import Distilled, ImageSet
from stillproof.distill.learning.descent import OnDivergence, descend
from stillproof.distill.learning.first_images import Init, embedding_for, initial_images
from stillproof.distill.trajectories.trajectory_matcher import TrajectoryMatcher
from stillproof.sets.usual_recipes import dsa_recipe

LR_RANGE = 100.0  # a learned step size that is this many times its start, or not above zero, has exploded


def _row(min_ipc: int, max_ipc: int | None, *datasets: str, **params: Any) -> Preset:
    return Preset("paper", params, datasets, min_ipc, max_ipc)


_ONE, _TEN, _FIFTY = (1, 9), (10, 49), (50, None)
_CIFAR10, _CIFAR100, _TINY = "cifar10", "cifar100", "tiny_imagenet"

# Published for 1, 10 and 50 images per class; in between, the next smaller set's values hold. Data sets that the paper
# does not have take those of CIFAR-10, without whitening.
PRESETS: tuple[Preset, ...] = (
    _row(*_ONE, syn_steps=50, max_start=2, lr=100.0, lr_lr=1e-7, lr_start=0.01),
    # 100, not the 1e5 of the authors' table, which they called a mistake.
    _row(*_TEN, syn_steps=30, max_start=20, lr=100.0, lr_lr=1e-5, lr_start=0.001),
    _row(*_FIFTY, syn_steps=30, max_start=40, lr=1000.0, lr_lr=1e-5, lr_start=0.001),
    _row(1, 49, _CIFAR10, zca=True),
    # The authors normalise CIFAR-100 as CIFAR-10, where they do not whiten it.
    _row(1, None, _CIFAR100, normalised_as=_CIFAR10),
    _row(*_ONE, _CIFAR100, syn_steps=20, expert_epochs=3, max_start=20, lr=1000.0, lr_lr=1e-5, zca=True),
    _row(*_TEN, _CIFAR100, syn_steps=20, lr=1000.0, lr_start=0.01),
    _row(*_FIFTY, _CIFAR100, syn_steps=80, lr_start=0.01, batch_syn=125, zca=True),
    _row(*_ONE, _TINY, syn_steps=10, max_start=10, lr=10_000.0, lr_lr=1e-4),
    _row(*_TEN, _TINY, syn_steps=20, max_start=40, lr=10_000.0, lr_lr=1e-4, lr_start=0.01, batch_syn=200),
    _row(*_FIFTY, _TINY, syn_steps=20, lr=10_000.0, lr_lr=1e-4, lr_start=0.01, batch_syn=300),
    # Subsets of ImageNet at 128 px with ConvNet-5, for 1 and 10 images per class. The readme's step size on images; an
    # answer to a question says 1e5.
    Preset("paper", {"syn_steps": 20, "max_start": 10, "lr": 1000.0, "lr_lr": 1e-6, "lr_start": 0.01}, SUBSETS),
    Preset("paper", {"batch_syn": 20}, SUBSETS, min_ipc=10),
    Preset("quick", {"steps": 100, "syn_steps": 10, "max_start": 3, "lr": 30.0, "lr_lr": 1e-7, "experts": 4}),
    Preset("smoke", {"steps": 3, "syn_steps": 2, "max_start": 1, "expert_epochs": 1, "lr_lr": 1e-9, "experts": 2}),
    *NO_MIRRORED_DIGITS,
)


@distillers.register("mtt", version=1, paper="arXiv:2203.11932")
@dataclass(frozen=True)
class TrajectoryMatching:
    """Make a few training steps on the images lead where epochs on real images led networks trained before.

    Those experts are trained and stored on their own, and serve every set that asks for the same ones. They are
    trained for as many epochs as are looked at (``max_start - 1 + expert_epochs``), not for the 50 of the original:
    their step size is constant, so that the rest would change nothing.

    Args:
        steps: Updates of the images.
        syn_steps: Steps of training on the synthetic images in each update.
        expert_epochs: Epochs of an expert's training that these steps should stand for.
        max_start: The expert's epoch to start from is below this.
        lr: Learning rate of the images, in normalised space.
        lr_lr: Step size on the learned step size of training.
        lr_start: Where that starts.
        momentum: Momentum on both.
        batch_syn: Synthetic images per step of training; 0 takes all.
        experts: Number of experts.
        gradient: ``exact``, or ``tesla``: without second derivatives by weights, cheaper and approximate.
        zca: Whether to work on whitened images.
        normalised_as: The data set whose mean and std normalise images that are not whitened; its own without a name.
        strategy: Operations that DSA chooses from, joined by underscores, for the experts too.
        init: Initialisation of the images.
        on_divergence: When the loss or the learned step size explodes: fail, or go back and continue with half the
            step sizes.
    """

    steps: int = 5000
    syn_steps: int = 30
    expert_epochs: int = 2
    max_start: int = 20
    lr: float = 100.0
    lr_lr: float = 1e-5
    lr_start: float = 0.01
    momentum: float = 0.5
    batch_syn: int = 0
    experts: int = 100
    gradient: Literal["exact", "tesla"] = "exact"
    zca: bool = False
    normalised_as: str = ""
    strategy: str = WITH_FLIP
    init: Init = "real"
    on_divergence: OnDivergence = "fail"

    presets: ClassVar[Sequence[Preset]] = PRESETS

    def __post_init__(self) -> None:
        """Refuse what cannot be optimised."""
        if self.steps < 0 or self.batch_syn < 0:
            raise ValueError("steps and batch_syn must not be negative")
        if min(self.syn_steps, self.expert_epochs, self.max_start, self.experts) < 1:
            raise ValueError("syn_steps, expert_epochs, max_start and experts must be at least 1")
        if min(self.lr, self.lr_start) <= 0 or self.lr_lr < 0 or not 0 <= self.momentum < 1:
            raise ValueError("lr and lr_start must be positive, lr_lr not negative, momentum in [0, 1)")

    @property
    def needs(self) -> Needs:
        """Say how many networks are followed, and how they are trained."""
        epochs = self.max_start - 1 + self.expert_epochs
        recipe = f"expert:epochs={epochs}:curve_points={epochs}"
        if self.strategy != WITH_FLIP:
            recipe += f":augment=dsa(strategy={self.strategy})"
        experts = TrainedBefore(self.experts, recipe)
        return Needs(
            whitening="usual" if self.zca else "",
            normalised_as="" if self.zca else self.normalised_as,
            experts=experts,
            embedding=embedding_for(self.init),
        )

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        """Return ``ipc`` images per class, with the step size to train on them as their recipe."""
        images, labels = initial_images(data, ipc, ctx, self.init)
        lr = torch.tensor(self.lr_start, device=ctx.device)
        groups = [{"params": [images], "lr": self.lr}, {"params": [lr], "lr": self.lr_lr}]
        optimiser = torch.optim.SGD(groups, momentum=self.momentum)
        work = self.image_passes(len(data), data.num_classes, ipc)
        matcher = TrajectoryMatcher(self, labels.to(ctx.device), ctx, work)

        def update(step: int) -> dict[str, float]:
            found = matcher.match(images, lr, step)
            images.grad, lr.grad = found.images, found.lr
            optimiser.step()
            return {"loss": found.loss.item(), "lr": lr.item()}

        def wrong() -> str:
            sound = 0 < lr.item() < LR_RANGE * self.lr_start
            return "" if sound else f"the learned step size is {lr.item():.3g}, which a smaller lr_lr keeps in bounds,"

        descend(ctx, self.steps, optimiser, update, on_divergence=self.on_divergence, wrong=wrong, also={"lr": lr})
        return ctx.distilled(images, labels, data, recipe=f"{dsa_recipe(self.strategy)}:lr={lr.item()}")

    def image_passes(self, n_real: int, num_classes: int, ipc: int) -> float:
        """Return the cost in forward passes of one image: training forwards, and backwards with a slope."""
        batch = min(self.batch_syn or num_classes * ipc, num_classes * ipc)
        back = 8 if self.gradient == "exact" else 6
        return float(self.steps * self.syn_steps * batch * (3 + back))

    def images_held(self, num_classes: int, ipc: int) -> float:
        """Return the most images that are in the network at once; slopes take two or three times as much."""
        copies = 3 if self.gradient == "exact" else 2
        return float(copies * min(self.batch_syn or num_classes * ipc, num_classes * ipc))
