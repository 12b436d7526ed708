"""Where an attack begins: at the image, or anywhere in the ball around it."""

from __future__ import annotations

from torch import Tensor

from stillproof.attack.base.norms import Norm, by_image, sizes
from stillproof.attack.base.streams import Streams


def anywhere(like: Tensor, norm: Norm, eps: float, streams: Streams, *name: str | int) -> Tensor:
    """Return a change for each image: evenly from the cube of Linf, else of any direction and any size up to eps.

    Nearly all of a ball of so many dimensions lies at its border, where steps in L2 and L1 had better not begin.
    """
    shape = like.shape[1:]
    if norm == "Linf":
        return eps * (2 * streams.uniform(shape, *name).to(like) - 1)
    direction = streams.normal(shape, *name).to(like)
    size = streams.uniform((), *name, "size").to(like)
    return eps * by_image(size / sizes(direction, norm), like) * direction
