"""Where an attack begins: at the image, or anywhere in the ball around it."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.attack.base.norms import Norm, by_image, sizes
from stillproof.attack.base.streams import Streams


def anywhere(like: Tensor, norm: Norm, eps: float, streams: Streams, *name: str | int) -> Tensor:
    """Return a change for each image, drawn evenly from the ball."""
    shape = like.shape[1:]
    if norm == "Linf":
        return eps * (2 * streams.uniform(shape, *name).to(like) - 1)
    if norm == "L2":
        direction = streams.normal(shape, *name).to(like)
        radius = streams.uniform((), *name, "radius").to(like) ** (1 / shape.numel())
        return eps * by_image(radius / sizes(direction, "L2"), like) * direction
    # Exponential draws over their sum and one draw more lie evenly in the positive part of the L1 ball.
    signed = 2 * streams.uniform(shape, *name).to(like) - 1
    drawn = -torch.log1p(-signed.abs())
    more = -torch.log1p(-streams.uniform((), *name, "radius").to(like))
    return eps * signed.sign() * drawn / by_image(drawn.flatten(1).sum(1) + more, like)
