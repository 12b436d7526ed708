"""The contract of a defence: an objective that is built on a recipe's own, and attacks images while it trains."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.victim import frozen
from stillproof.core.components import defences
from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.core.number_text import with_fractions
from stillproof.core.reference import parse_reference
from stillproof.core.types import DataInfo
from stillproof.train.batch import Batch
from stillproof.train.epochs import train_epochs
from stillproof.train.objective import Objective, objective_of
from stillproof.train.training import Training


@dataclass(frozen=True)
class Defence(Objective):
    """Base of all defences; a subclass is a frozen dataclass of hyper-parameters that has ``attack`` and ``begin``.

    It takes the place of the recipe's objective, which ``begin`` may build on by
    ``begin_base(training.recipe.objective, training)``; targets come in the form that this one wants. ``passes`` is
    how many times the work of that objective a batch takes.

    Args:
        eps: Radius of the Linf ball of the attack, in pixels of [0, 1].
        step: Step size; a quarter of eps by default.
        steps: Attack steps for every batch.
    """

    eps: float = 8 / 255
    step: float | None = None
    steps: int = 10

    by_image = True

    def __post_init__(self) -> None:
        """Refuse an attack that leads nowhere."""
        _ = self.attack

    @property
    def attack(self) -> Attack:
        """Return the attack that images meet while a network is trained."""
        raise NotImplementedError

    @property
    def passes(self) -> float:
        """Return the passes of an image: one for each step, and one for the loss."""
        return self.steps + 1.0

    def check(self, info: DataInfo) -> None:
        """Refuse what cannot be done to images of a data set, such as a change that is larger than their range."""
        self.attack.check(torch.empty(1, info.channels, info.size, info.size), targeted=False)

    def fit(self, training: Training) -> None:
        """Train as the recipe's objective would be, with the loss of this defence."""
        base = objective_of(training.recipe.objective)
        if type(base).fit is not Objective.fit:
            raise BadInput(
                f"objective {training.recipe.objective!r} trains in a way of its own: no defence can be built on it."
            )
        train_epochs(training, base.form, self.begin, by_image=base.by_image and self.by_image)

    def harder(self, training: Training, batch: Batch, attack: Attack | None = None) -> Tensor:
        """Return the batch after an attack, in the space of the network's body.

        The attack acts in pixels, wherever the set lives. Those of distilled sets may lie outside [0, 1]: they may come
        back, but are led no further out. The network is asked as it will be in use, with batch norms and dropout at
        rest, as in the published code of all these defences; its weights get no gradients.
        """
        changed = self.changed(training, batch, training.to_pixels(batch.images), attack)
        with torch.no_grad():
            moved: Tensor = training.model.front(changed)
        return moved

    def changed(self, training: Training, batch: Batch, pixels: Tensor, attack: Attack | None = None) -> Tensor:
        """Return pixels that stand for the images of a batch, after an attack as in ``harder``."""
        with frozen(training.model, mode=False):
            ctx = Context(batch.seeds, device=training.ctx.device)
            return (attack or self.attack).perturb(training.model, pixels, batch.classes, ctx=ctx)


def defence_of(reference: str) -> Defence:
    """Return the defence that ``reference`` names; values may be fractions, as in ``pgd-at:eps=8/255``."""
    name, given = parse_reference(reference)
    built = defences.build(name, with_fractions(given))
    if not isinstance(built, Defence):
        raise BadInput(f"defence {reference!r} is no subclass of stillproof.defend.base.defence.Defence.")
    return built
