"""What augmentations that mix images with others of their batch have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from stillproof.transforms.draws import Draws


@dataclass(frozen=True)
class Mixing:
    """Base of augmentations that mix every image with another one; a subclass says how.

    Args:
        alpha: Both parameters of the Beta distribution that an image's own share comes from.
        per_batch: Whether all images of a batch keep the same share.
    """

    alpha: float = 1.0
    per_batch: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no Beta distribution."""
        if self.alpha <= 0:
            raise ValueError(f"alpha must be positive, not {self.alpha}")

    def __call__(self, images: Tensor, generator: torch.Generator) -> Tensor:
        """Return the mixed images alone: for labels that a teacher gives afterwards."""
        return self._mixed(images, generator)[0]

    def mix(self, images: Tensor, targets: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Return images and targets (N, classes), both mixed in the same shares."""
        images, partners, own = self._mixed(images, generator)
        return images, torch.lerp(targets[partners], targets, own[:, None].to(targets.dtype))

    def combine(self, images: Tensor, others: Tensor, draws: Draws) -> tuple[Tensor, Tensor]:
        """Return the mixture of images and others, place by place, and the first ones' shares in it, (N,)."""
        raise NotImplementedError

    def _mixed(self, images: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """Return mixed images, the positions of those that were mixed in, and the own shares."""
        draws = Draws(len(images), generator, shared=self.per_batch)
        partners = draws.permutation().to(images.device)
        mixed, own = self.combine(images, images[partners], draws)
        return mixed, partners, own


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
