"""The part of a model before its body: it maps pixels in [0, 1] into the space that the body sees."""

from __future__ import annotations

from torch import Tensor, nn


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
