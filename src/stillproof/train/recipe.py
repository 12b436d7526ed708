"""How a network is trained, as data."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from stillproof.core.errors import BadInput

WARM_START = 0.01  # of the step size, where it rises
Schedule = Literal["steps", "cosine", "cosine-to-half", "cyclic"]


@dataclass(frozen=True)
class Recipe:
    """Everything that a training run needs to know besides network, data and seed.

    Args:
        epochs: Passes over the training images.
        batch: Images per step; labels that were recorded epoch by epoch come in batches of their own.
        optimiser: The optimiser.
        lr: Step size at the start.
        momentum: Momentum of SGD.
        weight_decay: L2 penalty; ``adamw`` shrinks the weights themselves.
        decay_vectors: Whether weights of one dimension, biases and scales of norms, get that penalty too.
        schedule: ``steps`` drops the step size at ``decay_epochs``; ``cosine`` lets it fall to ``final_lr`` in
            half a cosine wave; ``cosine-to-half`` goes through the first half of that fall, to midway; ``cyclic``
            changes it batch by batch: from 0 evenly up to ``lr`` at half of all passes, and evenly back to 0.
        warmup: Passes before that, in which the step size rises evenly from a hundredth of ``lr``, as torchvision's
            scripts have it; with ``cyclic``, those in which it rises from 0, if they are not to be half of all.
        final_lr: Where ``cosine`` ends: the step size that would come after the last pass.
        decay_epochs: Passes after which the step size is multiplied by ``decay``.
        decay: The factor.
        reset_momentum: Whether a decay also forgets the momentum.
        clip: Largest norm of the gradient of all weights together; a longer one is shortened. 0 shortens none.
        parts: Equal parts that a batch goes through the network in, one after another, before one step with the mean
            of their gradients; it matters to batch norms.
        shuffle: Whether every pass has an order of its own; if not, all have the order of the data.
        augment: Name of an augmentation, or ``none``; one that mixes images mixes their labels too.
        objective: Name of what is minimised, as ``cross-entropy``, ``mse`` or ``kl(temperature=20)``.
        curve_points: Evenly spaced points of the accuracy curve, the last pass among them.
    """

    epochs: int = 300
    batch: int = 256
    optimiser: Literal["sgd", "adam", "adamw"] = "sgd"
    lr: float = 0.01
    momentum: float = 0.9
    weight_decay: float = 5e-4
    decay_vectors: bool = True
    schedule: Schedule = "steps"
    warmup: int = 0
    final_lr: float = 0.0
    decay_epochs: tuple[int, ...] = ()
    decay: float = 0.1
    reset_momentum: bool = False
    clip: float = 0.0
    parts: int = 1
    shuffle: bool = True
    augment: str = "none"
    objective: str = "cross-entropy"
    curve_points: int = 1

    # Which parameters are references to components, and of which kind; ``none`` refers to no augmentation.
    references: ClassVar[Mapping[str, str]] = {"augment": "augmentations", "objective": "objectives"}
    # Parameters that are others on some data sets, unless a user names them; by the name of the data set.
    by_dataset: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    def __post_init__(self) -> None:
        """Refuse what cannot be trained."""
        if self.lr <= 0 or min(self.epochs, self.batch, self.parts, self.curve_points) < 1:
            raise ValueError("epochs, batch, lr, parts and curve_points must be positive")
        if not 0 <= self.warmup < self.epochs:
            raise ValueError(f"warmup must be shorter than the {self.epochs} epochs, and not below 0")
        if self.final_lr < 0 or self.clip < 0:
            raise ValueError(f"final_lr and clip must not be negative, as {min(self.final_lr, self.clip)} is")
        if self.schedule == "cyclic" and self.reset_momentum:
            raise ValueError("reset_momentum would forget the momentum before every batch of schedule = cyclic")

    def lr_at(self, epoch: float) -> float:
        """Return the step size of a pass, counted from 0; parts of a pass count if it changes batch by batch."""
        if self.schedule == "cyclic":
            peak = self.warmup or self.epochs / 2
            return self.lr * min(epoch / peak, (self.epochs - epoch) / (self.epochs - peak))
        if epoch < self.warmup:
            return self.lr * (WARM_START + (1 - WARM_START) * epoch / self.warmup)
        if self.schedule != "steps":
            epochs = self.epochs - self.warmup
            above, fall = self.lr - self.final_lr, epochs if self.schedule == "cosine" else 2 * epochs
            return self.final_lr + above * 0.5 * (1 + math.cos(math.pi * (epoch - self.warmup) / fall))
        return self.lr * self.decay ** sum(epoch >= after for after in self.decay_epochs)

    def is_measured(self, epoch: int) -> bool:
        """Say whether the accuracy curve has a point after this pass."""
        return (epoch + 1) * self.curve_points // self.epochs > epoch * self.curve_points // self.epochs


def check_plain(recipe: Recipe, name: str) -> None:
    """Refuse a recipe that is more than its values: behaviour of its own would not reach the loop."""
    own = [cls for cls in type(recipe).__mro__ if issubclass(cls, Recipe) and cls is not Recipe]
    added = [key for cls in own for key, value in vars(cls).items() if callable(value) and not key.startswith("__")]
    known = {field.name for field in dataclasses.fields(Recipe)}
    added += [field.name for field in dataclasses.fields(recipe) if field.name not in known]
    if added:
        raise BadInput(f"recipe {name!r} defines {added[0]!r}: a recipe may only set the parameters that Recipe has.")
