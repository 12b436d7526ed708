"""The batches that training on a distilled set feeds to a network, for a training loop of one's own."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor

from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.nets.body import Body
from stillproof.train.model import TrainedModel
from stillproof.train.objective import LogitObjective, objective_of
from stillproof.train.passes import Passes
from stillproof.train.recipe import Recipe
from stillproof.train.replay import Replay
from stillproof.train.train_data import TrainData
from stillproof.train.training import Training
from stillproof.transforms.front import Front


class TrainingBatches:
    """Pass after pass over a distilled set: each ``for`` loop over this object is the next pass.

    A batch is a pair: images as augmented, (B, C, H, W), in the space that ``front`` takes pixels into, and what they
    are trained towards, in the form that the recipe's objective wants. Batches, their order and all random draws are
    those that ``train`` feeds under the same recipe and seed.

    Attributes:
        recipe: How the set is trained on: epochs, batch, optimiser, step sizes (``recipe.lr_at(epoch)``) and the rest.
        front: Takes pixels in [0, 1], such as real test images, to what the network sees.
        epoch: The number of the next pass, from 0; set it to go on elsewhere.
    """

    def __init__(self, data: TrainData, front: Front, recipe: Recipe, seed: int, device: str) -> None:
        data.source.check(recipe)
        self.recipe, self.front, self.epoch = recipe, front, 0
        self._data, self._objective = data, objective_of(recipe.objective)
        self._seeds = Seeds(seed).child("train")  # as the stage of that name has it
        self._passes = Passes(begun(data, front, recipe, self._seeds, device), self._objective.form)

    @property
    def epochs(self) -> int:
        """Return the number of passes that the recipe has."""
        return self.recipe.epochs

    def __len__(self) -> int:
        """Return the number of batches in a pass."""
        source = self._data.source
        batch = source.labels.batch if isinstance(source, Replay) else self.recipe.batch
        return -(-len(self._data) // batch)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Return the batches of the next pass."""
        epoch, source = self.epoch, self._data.source
        if isinstance(source, Replay) and epoch >= source.labels.epochs:
            raise BadInput(
                f"labels are recorded for {source.labels.epochs} epochs, and pass {epoch + 1} is beyond them: set "
                "epoch = 0 to begin anew."
            )
        self.epoch = epoch + 1
        batches = self._passes.batches(epoch, self._seeds.child("epoch", epoch))
        return ((batch.images, batch.targets) for batch in batches)

    def loss(self, logits: Tensor, targets: Tensor) -> Tensor:
        """Return the mean loss of a batch, as the recipe's objective has it."""
        if not isinstance(self._objective, LogitObjective):
            raise BadInput(
                f"objective {self.recipe.objective!r} needs more than logits and targets: compute its loss yourself, "
                "or load the batches of a recipe with another one."
            )
        return self._objective.of_logits(logits, targets)

    def __repr__(self) -> str:
        """Say how much there is."""
        return f"<{self.epochs} passes over {len(self._data)} images in {len(self)} batches each>"


def begun(data: TrainData, front: Front, recipe: Recipe, seeds: Seeds, device: str) -> Training:
    """Return a training whose targets can be asked for; the network that it trains is somebody else's business."""
    training = Training(TrainedModel(front, Body()), data, recipe, Context(seeds, device))
    data.source.begin(training)
    return training
