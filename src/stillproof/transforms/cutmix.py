"""CutMix: a rectangle of every image shows another one, and its label counts by its area."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.transforms.draws import Draws
from stillproof.transforms.mixing import Mixing


@augmentations.register("cutmix", version=1, paper="arXiv:1905.04899", names={"cutmix-per-batch": {"per_batch": True}})
@dataclass(frozen=True)
class CutMix(Mixing):
    """Covers a rectangle of every image, with the shape of the image and anywhere in it, by another one.

    Args:
        alpha: Both parameters of the Beta distribution that the uncovered share comes from.
        per_batch: Whether all images of a batch are covered in the same place.
    """

    def combine(self, images: Tensor, others: Tensor, draws: Draws) -> tuple[Tensor, Tensor]:
        """Return the covered images, and the shares that are left of them."""
        side = (1 - draws.beta(self.alpha)).sqrt()  # of the rectangle, as a share of the image's
        rows, columns = (_interval(size, side, draws).to(images.device) for size in images.shape[2:])
        covered = rows[:, None, :, None] & columns[:, None, None, :]
        # What lies outside the image covers nothing: the label follows the area that is seen.
        own = 1 - covered.to(images.dtype).mean((1, 2, 3))
        return torch.where(covered, others, images), own


def _interval(size: int, side: Tensor, draws: Draws) -> Tensor:
    """Return (N, size): which places of an axis lie in the rectangle, whose centre is drawn uniformly."""
    centre, half = draws.integers(0, size), (side * size).long() // 2
    places = torch.arange(size, device=side.device)
    return (places >= (centre - half)[:, None]) & (places < (centre + half)[:, None])
