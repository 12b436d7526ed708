"""What augmentations have in common that change every image by itself, and mix the changed ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from stillproof.transforms.draws import Draws
from stillproof.transforms.mixing import Mixing


@dataclass(frozen=True)
class ChangeThenMix:
    """Base of published pipelines; a subclass says how an image is changed, and how changed images are mixed.

    Args:
        per_batch: Whether all images of a batch are mixed in the same way, as their authors do; each is changed in its
            own way before.
        mixed: Whether images are mixed at all; DD-Ranking trains on hard labels without it.
    """

    per_batch: bool = True
    mixed: bool = True
    pixels: ClassVar[bool] = True

    @property
    def mixing(self) -> Mixing:
        """Return what mixes the changed images."""
        raise NotImplementedError

    def change(self, images: Tensor, draws: Draws) -> Tensor:
        """Return the changed batch; everything random in it comes from ``draws``."""
        raise NotImplementedError

    def __call__(self, images: Tensor, generator: torch.Generator) -> Tensor:
        """Return the mixed images alone: for labels that a teacher gives afterwards."""
        changed = self.change(images, Draws(len(images), generator))
        return self.mixing(changed, generator) if self.mixed else changed

    def mix(self, images: Tensor, targets: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Return images and targets (N, classes), both mixed in the same shares."""
        changed = self.change(images, Draws(len(images), generator))
        return self.mixing.mix(changed, targets, generator) if self.mixed else (changed, targets)
