"""The part of a model before its body: it maps pixels in [0, 1] into the space that the body sees."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from stillproof.core.errors import BadInput


class Front(nn.Module):
    """Base of all fronts: an invertible map of images (N, C, H, W)."""

    def forward(self, images: Tensor) -> Tensor:
        """Map pixels into the space."""
        raise NotImplementedError

    def inverse(self, images: Tensor) -> Tensor:
        """Map images of the space back to pixels, which may lie outside [0, 1]."""
        raise NotImplementedError


class Pixels(Front):
    """The front of bodies that see pixels as they are."""

    def forward(self, images: Tensor) -> Tensor:
        """Return the images unchanged."""
        return images

    def inverse(self, images: Tensor) -> Tensor:
        """Return the images unchanged."""
        return images


class Normalise(Front):
    """The front that normalises each channel: (pixels - mean) / std.

    Args:
        mean: One value per channel, in [0, 1] pixels.
        std: One value per channel, in [0, 1] pixels.
    """

    mean: Tensor
    std: Tensor

    def __init__(self, mean: Sequence[float], std: Sequence[float]) -> None:
        super().__init__()
        if not mean or len(mean) != len(std) or min(std) <= 0:
            raise BadInput(
                f"mean {tuple(mean)} and std {tuple(std)} cannot normalise: give one of each per channel, std above 0."
            )
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1))
        self.register_buffer("std", torch.tensor(std).view(1, -1, 1, 1))

    def forward(self, images: Tensor) -> Tensor:
        """Map pixels to normalised images."""
        return (images - self.mean) / self.std

    def inverse(self, images: Tensor) -> Tensor:
        """Map normalised images to pixels."""
        return images * self.std + self.mean
