"""How far an image may be changed: a ball around it, and the range of pixels."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.attack.base.norms import Norm, by_image, sizes
from stillproof.attack.base.projection import nearest


@dataclass(frozen=True)
class Limits:
    """A ball of radius ``eps``, and pixels in [0, 1].

    Pixels of distilled sets may lie outside that range: they may come back, but go no further out. Without an ``eps``
    there is no ball.
    """

    norm: Norm
    eps: float | None

    def low(self, images: Tensor) -> Tensor:
        """Return the lowest that each pixel may become."""
        return images.clamp(max=0)

    def high(self, images: Tensor) -> Tensor:
        """Return the highest that each pixel may become."""
        return images.clamp(min=1)

    def project(self, images: Tensor, points: Tensor) -> Tensor:
        """Return the nearest points within the limits; a pixel that is no number goes back to where it was."""
        points = torch.where(points.isnan(), images, points)
        boxed = torch.minimum(torch.maximum(points, self.low(images)), self.high(images))
        if self.eps is None:
            return boxed
        if self.norm == "Linf":
            return torch.minimum(torch.maximum(boxed, images - self.eps), images + self.eps)
        changes = (points - images).nan_to_num().flatten(1)
        room = torch.where(changes > 0, (self.high(images) - images).flatten(1), (images - self.low(images)).flatten(1))
        far = nearest(changes.abs(), room, self.norm, self.eps)
        moved = images + (changes.sign() * far).view_as(images)
        # The sum is rounded: without this, a pixel might end a last digit outside the range.
        return torch.minimum(torch.maximum(moved, self.low(images)), self.high(images))


class ClampedLimits(Limits):
    """First the ball, then [0, 1], wherever the image itself is: what attack libraries do to whatever they are given.

    Images that are not pixels are destroyed by it. It is there to reproduce results that were obtained like that.
    """

    def low(self, images: Tensor) -> Tensor:
        """Return 0 for each pixel."""
        return torch.zeros_like(images)

    def high(self, images: Tensor) -> Tensor:
        """Return 1 for each pixel."""
        return torch.ones_like(images)

    def project(self, images: Tensor, points: Tensor) -> Tensor:
        """Return the points cut to the ball, then to [0, 1]."""
        changes = points - images
        if self.eps is not None and self.norm == "Linf":
            changes = changes.clamp(-self.eps, self.eps)
        elif self.eps is not None:
            factors = (self.eps / sizes(changes, self.norm).clamp(min=1e-12)).clamp(max=1)
            changes = changes * by_image(factors, images)
        return (images + changes).clamp(0, 1)
