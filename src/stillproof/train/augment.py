"""How a recipe's augmentation changes a batch: in the space that it is defined in, with labels if it mixes those."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from stillproof.core.components import augmentations
from stillproof.core.types import Augmentation
from stillproof.train.labels import from_shares, to_shares
from stillproof.transforms.front import Front


@runtime_checkable
class MixesLabels(Protocol):
    """An augmentation after which an image belongs to several classes."""

    def mix(self, images: Tensor, targets: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Return the changed images and what they hold of each class, (N, classes)."""
        ...


Augment = Callable[[Tensor, Tensor, torch.Generator], tuple[Tensor, Tensor]]


@dataclass(frozen=True)
class Augmenter:
    """Changes images of the body's space, and the targets of a loss.

    An augmentation with a true ``pixels`` sees the batch as pixels: through the inverse of the model's own front, and
    back through the front. Nothing is clamped on the way. (A front that forgets brightness and contrast, like that of
    KIP's authors, forgets the changed ones too.)
    """

    augmentation: Augmentation
    front: nn.Module
    loss: str
    num_classes: int

    def __call__(self, images: Tensor, targets: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Return the changed batch."""
        if not getattr(self.augmentation, "pixels", False):
            return self._change(images, targets, generator)
        assert isinstance(self.front, Front), "there is no way back to pixels"
        pixels, targets = self._change(self.front.inverse(images), targets, generator)
        return self.front(pixels), targets

    def _change(self, images: Tensor, targets: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        if not isinstance(self.augmentation, MixesLabels):
            return self.augmentation(images, generator), targets
        shares = to_shares(targets, self.loss, self.num_classes)
        images, shares = self.augmentation.mix(images, shares, generator)
        return images, from_shares(shares, self.loss)


def make_augment(name: str, front: nn.Module, loss: str, num_classes: int) -> Augment:
    """Return what the augmentation called ``name`` does to a batch; ``none`` does nothing."""
    if name == "none":
        return lambda images, targets, _: (images, targets)
    return Augmenter(augmentations.build(name), front, loss, num_classes)
