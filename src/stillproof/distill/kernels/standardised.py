"""The space of KIP's images without whitening: exactly standardised, not by the constants that others use."""

from __future__ import annotations

import dataclasses

from torch import Tensor

from stillproof.core.context import Context
from stillproof.core.types import ImageSet, Space
from stillproof.transforms.front import Front
from stillproof.transforms.kip_zca import channel_statistics
from stillproof.transforms.space import make_front


def standardised(data: ImageSet, ctx: Context) -> Context:
    """Return the context in the space where each channel of the real images has mean 0 and standard deviation 1."""
    mean, std = channel_statistics(data)
    space = Space("normalised", tuple(mean.tolist()), tuple(std.tolist()))
    return dataclasses.replace(ctx, space=space, front=make_front(space).to(ctx.device))


def moved(images: Tensor, old: Context, new: Context) -> Tensor:
    """Return images of the old context's space in that of the new one."""
    assert isinstance(old.front, Front), "there is no way back to pixels"
    return new.into_space(old.front.inverse(images))
