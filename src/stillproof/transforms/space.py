"""From the name of a space to the map into it."""

from __future__ import annotations

from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import Space
from stillproof.transforms.front import Front, Normalise, Pixels
from stillproof.transforms.zca import ZCA


def make_front(space: Space, zca: ZCA | None = None) -> Front:
    """Return the map from pixels into ``space``; ``zca`` is the whitening that a ZCA space refers to."""
    if space.kind == "pixels":
        return Pixels()
    if space.kind == "normalised":
        return Normalise(space.mean, space.std)
    if zca is None:
        raise BadInput(f"the images are whitened by ZCA {space.ref!r}, which was not given: load or fit it first.")
    return zca


def to_pixels(images: Tensor, front: Front) -> Tensor:
    """Return images of the front's space as pixels, clamped to [0, 1] for showing."""
    return front.inverse(images).clamp(0, 1)
