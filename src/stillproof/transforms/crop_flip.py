"""The usual augmentation of small photographs: a crop out of the padded image, and mirror images."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.transforms import dsa_ops
from stillproof.transforms.draws import Draws
from stillproof.transforms.pixel_augmentation import PixelAugmentation


@augmentations.register("crop-flip", version=1)
@dataclass(frozen=True)
class CropFlip(PixelAugmentation):
    """A crop out of the padded image, and a flip of every second one.

    Args:
        per_batch: Whether all images of a batch get the same change, in 8 bits.
        padding: Black pixels at each side, and so the largest shift; by default 4, but an eighth of the size where
            images are smaller than 32 pixels.
        flip: Whether there are mirror images, which digits have no use for.
    """

    padding: int | None = None
    flip: bool = True

    def __post_init__(self) -> None:
        """Refuse a padding that has no meaning."""
        check_padding(self.padding)

    def change(self, images: Tensor, draws: Draws) -> Tensor:
        """Return the changed batch."""
        images = padded_crop(images, self.padding, draws)
        return random_flip(images, draws) if self.flip else images


def check_padding(padding: int | None) -> None:
    """Refuse a padding that has no meaning, with a ``ValueError``."""
    if padding is not None and padding < 0:
        raise ValueError(f"padding must not be negative, not {padding}")


def padded_crop(images: Tensor, padding: int | None, draws: Draws) -> Tensor:
    """Return windows of the old size out of images with a black border; by default 4 wide, or an eighth of the size."""
    most = min(4, min(images.shape[2:]) // 8) if padding is None else padding
    down, right = draws.integers(-most, most + 1, 2).to(images.device).unbind(1)
    return dsa_ops.shift(images, down, right)


def random_flip(images: Tensor, draws: Draws) -> Tensor:
    """Mirror every second image left to right."""
    return dsa_ops.flip(images, (draws.uniform() < 0.5).to(images.device))
