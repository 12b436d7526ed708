"""How a recipe's augmentation changes a batch: in the space that it is defined in, with labels if it mixes those."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from stillproof.core.components import augmentations
from stillproof.core.seeds import Seeds
from stillproof.core.types import Augmentation
from stillproof.train.batch import Mix
from stillproof.transforms.front import Front


@runtime_checkable
class MixesLabels(Protocol):
    """An augmentation after which an image belongs to several classes."""

    def mix(self, images: Tensor, targets: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Return the changed images and what they hold of each class, (N, classes)."""
        ...


Augment = Callable[[Tensor, Seeds], tuple[Tensor, Mix | None]]


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
