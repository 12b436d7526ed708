"""Mixup: weighted sums of two images, and of their labels."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.transforms.draws import Draws
from stillproof.transforms.mixing import Mixing


@augmentations.register("mixup", version=1, paper="arXiv:1710.09412", names={"mixup-per-batch": {"per_batch": True}})
@dataclass(frozen=True)
class Mixup(Mixing):
    """Adds a share of another image to the remaining share of every image.

    Args:
        alpha: Both parameters of the Beta distribution that an image's own share comes from.
        per_batch: Whether all images of a batch keep the same share.
    """

    def combine(self, images: Tensor, others: Tensor, draws: Draws) -> tuple[Tensor, Tensor]:
        """Return the weighted sums, and the first ones' weights."""
        own = draws.beta(self.alpha).to(images)
        return torch.lerp(others, images, own.view(-1, 1, 1, 1)), own
