"""The augmentation that RDED's sets are trained under."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.transforms.crop_flip import random_flip
from stillproof.transforms.crop_resize import crop_resize
from stillproof.transforms.cutmix import CutMix
from stillproof.transforms.draws import Draws
from stillproof.transforms.mixing import ChangeThenMix
from stillproof.transforms.patch_shuffle import shuffle_patches
from stillproof.transforms.resized_crop import check_box, random_boxes


@augmentations.register("rded-aug", version=1, paper="arXiv:2312.03526")
@dataclass(frozen=True)
class RDEDAug(ChangeThenMix):
    """Shuffles patches, cuts a box out, flips every second image, and mixes by CutMix.

    Without patches it is what SRe2L has on ImageNet, and D4M: ``rded-aug(min_scale=0.08)``.

    Args:
        per_batch: Whether all images of a batch are covered in the same place, as in the authors' code.
        mixed: Whether images are mixed at all.
        factor: Patches along each side of an image.
        min_scale: Smallest area of a box, as a share of the image's; by default that of one of ``factor`` parts.
        flip: Whether there are mirror images, which digits have no use for.
        alpha: Both parameters of the Beta distribution that the uncovered share comes from.
    """

    factor: int = 1
    min_scale: float | None = None
    flip: bool = True
    alpha: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what cuts or mixes nothing."""
        if self.factor < 1 or self.alpha <= 0:
            raise ValueError("factor must be at least 1, alpha positive")
        check_box(self._smallest, 1.0, 1.0)

    @property
    def mixing(self) -> CutMix:
        """Return what mixes the changed images."""
        return CutMix(self.alpha, self.per_batch)

    def change(self, images: Tensor, draws: Draws) -> Tensor:
        """Return the changed batch."""
        images = shuffle_patches(images, self.factor, draws)
        images = crop_resize(images, random_boxes(draws, images.shape[2:], self._smallest))
        return random_flip(images, draws) if self.flip else images

    @property
    def _smallest(self) -> float:
        return 1 / self.factor if self.min_scale is None else self.min_scale
