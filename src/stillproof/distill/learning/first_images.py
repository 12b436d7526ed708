"""Initialisation of the synthesis: noise, random real images or K-Center images."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from stillproof.core.context import Context
from stillproof.core.needs import TrainedBefore
from stillproof.core.types import ImageSet
from stillproof.distill.choosing.chosen_images import real_images
from stillproof.distill.choosing.embeddings import EMBEDDING
from stillproof.distill.grids.grid import CELLS, Form, images_each
from stillproof.distill.k_center import KCenter, k_center_positions
from stillproof.distill.random import random_positions

Init = Literal["noise", "real", "k-center"]


def embedding_for(init: Init) -> TrainedBefore | None:
    """Return the network that a start needs, as ``Needs.embedding`` takes it; sets of one seed share it."""
    return EMBEDDING if init == "k-center" else None


def initial_images(data: ImageSet, ipc: int, ctx: Context, init: Init, form: Form = "single") -> tuple[Tensor, Tensor]:
    """Return the first synthetic images in the cell's space, on the device, and their labels, class by class."""
    labels = torch.arange(data.num_classes).repeat_interleave(ipc)
    if init == "noise":
        shape = (len(labels), data.info.channels, data.info.size, data.info.size)
        images = torch.randn(shape, generator=ctx.seeds.child("noise").torch())
    else:
        index = _random_real(data, ipc, ctx, form) if init == "real" else _central(data, ipc, ctx, form)
        images = real_images(data, index, ctx, form)
    return images.to(ctx.device), labels


def _random_real(data: ImageSet, ipc: int, ctx: Context, form: Form) -> Tensor:
    """Return positions, class by class; each cell of a grid is its own draw, so ``ipc`` images per class are enough."""
    if form == "single":
        return random_positions(data, ipc, ctx)
    cells = [random_positions(data, ipc, ctx, cell).reshape(data.num_classes, ipc) for cell in range(CELLS)]
    return torch.cat(cells, dim=1).flatten()


def _central(data: ImageSet, ipc: int, ctx: Context, form: Form) -> Tensor:
    default = KCenter()
    return k_center_positions(data, images_each(ipc, form), ctx, default.embedding, default.starts)
