"""A set of real images, as methods that choose give it."""

from __future__ import annotations

from torch import Tensor

from stillproof.core.context import Context
from stillproof.core.dsa_strategy import strategy_for
from stillproof.core.types import Distilled, ImageSet
from stillproof.distill.grids.grid import Form, cell_by_cell, pack_grids
from stillproof.sets.usual_recipes import dsa_recipe


def keep_images(data: ImageSet, index: Tensor, ctx: Context, form: Form = "single") -> Distilled:
    """Return the chosen images, class by class, in the cell's space; as grids, four in place of one."""
    images = real_images(data, index, ctx, form)
    if form == "single":
        return ctx.distilled(images, data.labels[index], data)
    labels = data.labels[cell_by_cell(index, data.num_classes)[: len(images)]]
    # Trained as IDM and BACON train theirs, which it is to be compared with.
    return ctx.distilled(images, labels, data, decode="grid2x2", recipe=dsa_recipe(strategy_for(data.info.name)))


def real_images(data: ImageSet, index: Tensor, ctx: Context, form: Form) -> Tensor:
    """Return the images at ``index``, which go class by class, in the cell's space and on the device."""
    if form == "single":
        return ctx.into_space(data.read(index, ctx.device))
    # Into the space first: whitening takes whole images.
    return pack_grids(ctx.into_space(data.read(cell_by_cell(index, data.num_classes), ctx.device)))
