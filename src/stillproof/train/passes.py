"""The batches of each pass over the training images: their order, their augmentation and their targets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from stillproof.core.seeds import Seeds
from stillproof.train.augment import make_augment
from stillproof.train.batch import Augmented, Batch
from stillproof.train.labels import Form
from stillproof.train.training import Training


class Passes:
    """Makes the batches of a training run."""

    def __init__(self, training: Training, form: Form) -> None:
        """Say in which form the targets are wanted."""
        self.data, self.recipe, self.form = training.data, training.recipe, form
        self.augment = make_augment(self.recipe.augment, training.model.front)

    def batches(self, epoch: int, seeds: Seeds) -> Iterator[Batch]:
        """Yield the batches of one pass; ``seeds`` are the streams of that pass."""
        data = self.data
        for number, positions in enumerate(self._order(epoch, seeds)):
            changed = self._augmented(positions, epoch, number, seeds)
            targets = data.source.targets(changed, self.form)
            classes = data.classes[positions.to(data.classes.device)]
            yield Batch(changed.images, targets, classes, positions, epoch, seeds.child("objective", number))

    def _order(self, epoch: int, seeds: Seeds) -> Sequence[Tensor]:
        """Return the positions of each batch, in an order of its own unless the recipe keeps that of the data."""
        recorded = self.data.source.order(epoch)
        if recorded is not None:
            return recorded
        order = torch.arange(len(self.data))
        if self.recipe.shuffle:
            order = torch.randperm(len(self.data), generator=seeds.child("order").torch())
        return torch.split(order, self.recipe.batch)

    def _augmented(self, positions: Tensor, epoch: int, number: int, seeds: Seeds) -> Augmented:
        images = self.data.read(positions)
        recorded = self.data.source.changed(images, epoch, number)
        if recorded is not None:
            return Augmented(recorded, positions, epoch, number)
        images, mix = self.augment(images, seeds.child("augment", number))
        return Augmented(images, positions, epoch, number, mix)
