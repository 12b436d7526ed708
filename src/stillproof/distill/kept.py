"""A set of real images, as methods that choose give it."""

from __future__ import annotations

from torch import Tensor

from stillproof.core.context import Context
from stillproof.core.types import Distilled, ImageSet


def keep(data: ImageSet, index: Tensor, ctx: Context) -> Distilled:
    """Return the chosen images, class by class, in the cell's space."""
    return ctx.distilled(ctx.into_space(data.read(index, ctx.device)), data.labels[index], data)
