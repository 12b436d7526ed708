"""The augmentation of DC's authors for MNIST and for batch norm: every image gets one change of a few."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from scipy import ndimage
from torch import Tensor
from torch.nn import functional as F

from stillproof.core.components import augmentations
from stillproof.transforms.draws import Draws

OPERATIONS = ("crop", "scale", "rotate", "noise")


@augmentations.register("dc-aug", version=1, paper="arXiv:2006.05929")
@dataclass(frozen=True)
class DCAug:
    """One operation per image, in the space that the network's body sees; it has no gradient to the images.

    The authors evaluate with ``crop_scale_rotate`` on MNIST, with ``crop_noise`` whatever the data set if the ConvNet
    has batch norm, and otherwise with none. The paper does not tell; their code does.

    Args:
        strategy: Operations to choose from, joined by underscores.
        crop: Pixels of border around an image, filled with the mean of each channel over the batch; a window of the
            old size is cut out.
        scale: Largest change of height and width, each for itself, as a share; around a smaller image is zero.
        rotate: Largest angle, in whole degrees; corners are filled with the mean over the batch.
        noise: Standard deviation of what is added.
    """

    strategy: str = "crop_scale_rotate"
    crop: int = 4
    scale: float = 0.2
    rotate: int = 45
    noise: float = 0.001

    uses_batch: ClassVar[bool] = True  # borders have the mean of all images

    def __post_init__(self) -> None:
        """Refuse operations that do not exist and sizes that have no meaning."""
        for operation in self.strategy.split("_"):
            if operation not in OPERATIONS:
                raise ValueError(f"strategy holds {operation!r}, which is none of {', '.join(OPERATIONS)}")
        if self.crop < 1 or self.rotate < 1 or not 0 <= self.scale < 1 or self.noise < 0:
            raise ValueError("crop and rotate must be at least 1, scale in [0, 1), noise not negative")

    def __call__(self, images: Tensor, generator: torch.Generator) -> Tensor:
        """Return the changed batch."""
        operations = self.strategy.split("_")
        chosen = Draws(len(images), generator).integers(0, len(operations)).tolist()
        fill = images.mean((0, 2, 3))  # of each channel, before anything is changed
        one = Draws(1, generator)
        changes = [getattr(self, f"_{operations[number]}") for number in chosen]
        return torch.stack([change(image, fill, one) for change, image in zip(changes, images, strict=True)])

    def _crop(self, image: Tensor, fill: Tensor, draw: Draws) -> Tensor:
        # The last place of a window, 2 * crop, is never drawn: so it is in the original.
        top, left = draw.integers(0, 2 * self.crop, 2)[0].tolist()
        return crop(image, fill, self.crop, top, left)

    def _scale(self, image: Tensor, _: Tensor, draw: Draws) -> Tensor:
        factors = 1 + self.scale * (2 * draw.uniform(2)[0] - 1)
        height, width = (int(factor * size) for factor, size in zip(factors.tolist(), image.shape[1:], strict=True))
        return scale(image, height, width)

    def _rotate(self, image: Tensor, fill: Tensor, draw: Draws) -> Tensor:
        return rotate(image, int(draw.integers(-self.rotate, self.rotate)), float(fill.mean()))

    def _noise(self, image: Tensor, _: Tensor, draw: Draws) -> Tensor:
        drawn = torch.randn(image.shape, generator=draw.generator, device=draw.generator.device)
        return image + self.noise * drawn.to(image)


def crop(image: Tensor, fill: Tensor, border: int, top: int, left: int) -> Tensor:
    """Cut a window out of an image (C, H, W) with a border of one colour, ``fill`` (C,)."""
    height, width = image.shape[1:]
    padded = fill.view(-1, 1, 1).repeat(1, height + 2 * border, width + 2 * border)
    padded[:, border : border + height, border : border + width] = image
    return padded[:, top : top + height, left : left + width]


def scale(image: Tensor, height: int, width: int) -> Tensor:
    """Bring an image to another size by nearest neighbours, then pad it with zeros or cut it, about the centre."""
    old_height, old_width = image.shape[1:]
    resized = F.interpolate(image[None], (height, width), mode="nearest")[0]
    side = max(height, width, old_height, old_width)
    canvas = image.new_zeros(len(image), side, side)
    top, left = (side - height) // 2, (side - width) // 2
    canvas[:, top : top + height, left : left + width] = resized
    return _centre(canvas, old_height, old_width)


def rotate(image: Tensor, degrees: int, fill: float) -> Tensor:
    """Turn an image about its centre, by cubic splines; corners that were outside become ``fill``."""
    turned = ndimage.rotate(image.detach().cpu().numpy(), degrees, axes=(-2, -1), cval=fill)
    return _centre(torch.from_numpy(turned).to(image), *image.shape[1:])


def _centre(image: Tensor, height: int, width: int) -> Tensor:
    top, left = (image.shape[1] - height) // 2, (image.shape[2] - width) // 2
    return image[:, top : top + height, left : left + width]
