"""What training minimises: a component that a recipe names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

from torch import Tensor, nn

from stillproof.core.components import objectives
from stillproof.core.errors import BadInput
from stillproof.train.backward import BatchLoss
from stillproof.train.batch import Batch
from stillproof.train.epochs import train_epochs
from stillproof.train.labels import Form
from stillproof.train.training import Training


class Objective:
    """Base of all objectives; a subclass is a frozen dataclass of hyper-parameters that has ``begin``.

    ``references`` tells which of its parameters are references to other components, and of which kind. ``by_image``
    tells that the loss of a batch is the mean of losses that its images have each by itself: a batch may then go
    through the network in chunks that fit the processor's cache.
    """

    references: ClassVar[Mapping[str, str]] = {}
    by_image: ClassVar[bool] = False

    @property
    def form(self) -> Form:
        """Return the form that targets are wanted in; see ``stillproof.train.labels``."""
        return "classes"

    @property
    def passes(self) -> float:
        """Return how often each image goes forward and backward in an epoch, for estimates of the work: once."""
        return 1.0

    def begin(self, training: Training) -> BatchLoss:
        """Return the function that gives the loss of a batch, or yields several.

        Each loss is followed by its backward pass and a step of the optimiser before the next one is asked for. State
        that must survive a checkpoint is handed to ``training.keep`` here.
        """
        raise NotImplementedError

    def fit(self, training: Training) -> None:
        """Train, pass after pass; an objective of another shape has a ``fit`` of its own.

        It then runs its steps in ``training.ctx.loop(total, name="train", **training.parts(optimiser=optimiser))`` and
        calls ``training.record`` after each of the recipe's epochs.
        """
        train_epochs(training, self.form, self.begin, by_image=self.by_image)


class LogitObjective(Objective):
    """Base of objectives that compare logits with targets and need no more: the whole step can be compiled."""

    by_image = True

    def of_logits(self, logits: Tensor, targets: Tensor) -> Tensor:
        """Return the mean loss of a batch: the mean over its images, since it may be asked chunk by chunk."""
        raise NotImplementedError

    def begin(self, training: Training) -> BatchLoss:
        """Return the loss of a batch, compiled if that repays."""
        loss_of = training.compiled(partial(_mean_loss, self, training.model.body))
        return lambda batch: loss_of(batch.images, batch.targets)


def _mean_loss(objective: LogitObjective, body: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    # With the body as an argument, what was compiled for one network serves all others of its kind in the process.
    return objective.of_logits(body(images), targets)


def begin_base(reference: str, training: Training) -> Callable[[Batch], Tensor]:
    """Begin the objective that another one is built on; return its loss of a batch."""
    base = objective_of(reference)
    if type(base).fit is not Objective.fit:
        raise BadInput(f"objective {reference!r} trains in a way of its own: no other can be built on it.")
    loss_of = base.begin(training)

    def loss(batch: Batch) -> Tensor:
        found = loss_of(batch)
        if not isinstance(found, Tensor):
            raise BadInput(f"objective {reference!r} has several losses for a batch: no other can be built on it.")
        return found

    return loss


def objective_of(reference: str) -> Objective:
    """Return the objective that ``reference`` names, as ``kl(temperature=20)``."""
    built = objectives.build(reference)
    if not isinstance(built, Objective):
        raise BadInput(f"objective {reference!r} is no subclass of stillproof.train.objective.Objective.")
    return built
