"""The batches of each pass over the training images: their order, their augmentation and their targets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from stillproof.core.components import augmentations
from stillproof.core.seeds import Seeds
from stillproof.core.types import Augmentation
from stillproof.train.batch import Augmented, Batch, Mix
from stillproof.train.labels import Form
from stillproof.train.training import Training
from stillproof.transforms.front import Front

Augment = Callable[[Tensor, Seeds], tuple[Tensor, Mix | None]]


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


@runtime_checkable
class MixesLabels(Protocol):
    """An augmentation after which an image belongs to several classes."""

    def mix(self, images: Tensor, targets: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Return the changed images and what they hold of each class, (N, classes)."""
        ...


@dataclass(frozen=True)
class Augmenter:
    """Changes images of the body's space, and tells what was mixed.

    An augmentation with a true ``pixels`` sees the batch as pixels: through the inverse of the model's own front, and
    back through the front. Nothing is clamped on the way. (A front that forgets brightness and contrast, like that of
    KIP's authors, forgets the changed ones too.)
    """

    augmentation: Augmentation
    front: nn.Module

    def __call__(self, images: Tensor, seeds: Seeds) -> tuple[Tensor, Mix | None]:
        """Return the changed batch, and how to mix what belongs to its images."""
        if not getattr(self.augmentation, "pixels", False):
            return self.augmentation(images, seeds.torch()), self._mix(images, seeds)
        assert isinstance(self.front, Front), "there is no way back to pixels"
        pixels = self.front.inverse(images)
        return self.front(self.augmentation(pixels, seeds.torch())), self._mix(pixels, seeds)

    def _mix(self, images: Tensor, seeds: Seeds) -> Mix | None:
        augmentation = self.augmentation
        if not isinstance(augmentation, MixesLabels):
            return None
        # Drawn again from the start of the same stream, so that it is the same mixture: only now is it known of what.
        return lambda values: augmentation.mix(images, values, seeds.torch())[1]


def make_augment(name: str, front: nn.Module) -> Augment:
    """Return what the augmentation called ``name`` does to a batch; ``none`` does nothing."""
    if name == "none":
        return lambda images, _: (images, None)
    return Augmenter(augmentations.build(name), front)
