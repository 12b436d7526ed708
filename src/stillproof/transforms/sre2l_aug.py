"""The augmentation that SRe2L's sets of small images are trained under."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.transforms.crop_flip import check_padding, padded_crop, random_flip
from stillproof.transforms.draws import Draws
from stillproof.transforms.mixing import ChangeThenMix
from stillproof.transforms.mixup import Mixup


@augmentations.register("sre2l-aug", version=1, paper="arXiv:2306.13092")
@dataclass(frozen=True)
class SRe2LAug(ChangeThenMix):
    """A crop out of the padded image, a flip of every second one, and Mixup.

    Args:
        per_batch: Whether all images of a batch keep the same share of themselves, as in the authors' code.
        mixed: Whether images are mixed at all.
        padding: Black pixels at each side; by default 4, but an eighth of the size below 32 pixels.
        flip: Whether there are mirror images, which digits have no use for.
        alpha: Both parameters of the Beta distribution that an image's own share comes from.
    """

    padding: int | None = None
    flip: bool = True
    alpha: float = 0.8

    def __post_init__(self) -> None:
        """Refuse what crops or mixes nothing."""
        check_padding(self.padding)
        if self.alpha <= 0:
            raise ValueError(f"alpha must be positive, not {self.alpha}")

    @property
    def mixing(self) -> Mixup:
        """Return what mixes the changed images."""
        return Mixup(self.alpha, self.per_batch)

    def change(self, images: Tensor, draws: Draws) -> Tensor:
        """Return the changed batch."""
        images = padded_crop(images, self.padding, draws)
        return random_flip(images, draws) if self.flip else images
