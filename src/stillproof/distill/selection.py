"""What methods that choose real images share: per-class embeddings to choose by, and the set that the choice makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import torch
from torch import Tensor

from stillproof.core.context import Context
from stillproof.core.types import Distilled, ImageSet
from stillproof.distill.kept import keep
from stillproof.nets.body import Body
from stillproof.train.data import from_images
from stillproof.train.loop import fit
from stillproof.train.model import TEST_BATCH, TrainedModel
from stillproof.train.recipe import Recipe

Embedding = Literal["network", "pixels"]
Choose = Callable[[Tensor, int, int], Tensor]  # embeddings (n, D), ipc, class -> positions (ipc,) among the n


def select(data: ImageSet, ipc: int, ctx: Context, embedding: Embedding, choose: Choose) -> Distilled:
    """Choose ``ipc`` images of each class by their embeddings."""
    chosen = [index[choose(points, ipc, label)] for label, index, points in embedded(data, ctx, embedding)]
    return keep(data, torch.cat(chosen), ctx)


@torch.no_grad()
def embedded(data: ImageSet, ctx: Context, embedding: Embedding) -> Iterator[tuple[int, Tensor, Tensor]]:
    """Yield each class with the positions of its images and their embeddings (n, D) on the CPU.

    The embedding network is DC-Bench's: a fresh one, trained on all images for one epoch.
    """
    embed = _one_epoch_network(data, ctx) if embedding == "network" else _pixels
    for label in range(data.num_classes):
        index = data.of_class(label)
        batches = [embed(data.read(part, ctx.device)).cpu() for part in torch.split(index, TEST_BATCH)]
        yield label, index, torch.cat(batches)


def _pixels(images: Tensor) -> Tensor:
    return images.flatten(1)


def _one_epoch_network(data: ImageSet, ctx: Context) -> Callable[[Tensor], Tensor]:
    body = ctx.make_network("embedding")
    assert isinstance(body, Body) and ctx.front is not None
    recipe = Recipe(epochs=1)
    with torch.enable_grad():
        model = TrainedModel(ctx.front, body)
        fit(model, from_images(data, ctx.front, recipe.loss, ctx.device), recipe, ctx, flops=ctx.forward_flops)
    return lambda pixels: body.features(ctx.into_space(pixels))


def image_passes(n_real: int, embedding: Embedding) -> float:
    """Return the cost of the embeddings in forward passes of one image: one epoch of training and one look."""
    return 4.0 * n_real if embedding == "network" else 0.0
