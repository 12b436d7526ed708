"""Where synthesis starts: noise, random real images or K-Center images."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from stillproof.core.context import Context
from stillproof.core.types import ImageSet
from stillproof.distill.grid import Form, images_each
from stillproof.distill.k_center import KCenter, k_center_positions
from stillproof.distill.kept import real_images
from stillproof.distill.random import random_positions

Init = Literal["noise", "real", "k-center"]


def initial_images(data: ImageSet, ipc: int, ctx: Context, init: Init, form: Form = "single") -> tuple[Tensor, Tensor]:
    """Return the first synthetic images in the cell's space, on the device, and their labels, class by class."""
    labels = torch.arange(data.num_classes).repeat_interleave(ipc)
    if init == "noise":
        shape = (len(labels), data.info.channels, data.info.size, data.info.size)
        images = torch.randn(shape, generator=ctx.seeds.child("noise").torch())
    else:
        default = KCenter()
        each = images_each(data, ipc, form)
        if init == "real":
            index = random_positions(data, each, ctx)
        else:
            index = k_center_positions(data, each, ctx, default.embedding, default.starts)
        images = real_images(data, index, ctx, form)
    return images.to(ctx.device), labels
