"""What methods that choose real images share: per-class embeddings to choose by, and the set that the choice makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.utils import vector_to_parameters

from stillproof.core.context import Context
from stillproof.core.needs import Needs, TrainedBefore
from stillproof.core.types import Distilled, ImageSet
from stillproof.distill.choosing.chosen_images import keep_images
from stillproof.nets.body import Body
from stillproof.nets.chunks import by_chunks
from stillproof.train.model import TEST_BATCH

Embedding = Literal["network", "pixels"]
EMBEDDING = TrainedBefore(1, "dc-bench:epochs=1:curve_points=1", by_seed=True)  # for one epoch, as DC-Bench has it
Choose = Callable[[Tensor, int, int], Tensor]  # embeddings (n, D), ipc, class -> positions (ipc,) among the n


@dataclass(frozen=True)
class Choosing:
    """Base of methods that choose real images by their embeddings; sets of one seed share the embedding network.

    Args:
        embedding: What is compared: features of a network trained for one epoch, or raw pixels.
    """

    embedding: Embedding = "network"

    @property
    def needs(self) -> Needs:
        """Say which network must have been trained before, if images are compared by its features."""
        if self.embedding == "pixels":
            return Needs(network=False)
        return Needs(embedding=EMBEDDING)

    def image_passes(self, n_real: int, num_classes: int, ipc: int) -> float:
        """Return the cost in forward passes of one image."""
        return float(n_real) if self.embedding == "network" else 0.0

    def images_held(self, num_classes: int, ipc: int) -> float:
        """Return the most images that are in the network at once."""
        return float(TEST_BATCH) if self.embedding == "network" else 0.0


def select(data: ImageSet, ipc: int, ctx: Context, embedding: Embedding, choose: Choose) -> Distilled:
    """Choose ``ipc`` images of each class by their embeddings."""
    chosen = [index[choose(points, ipc, label)] for label, index, points in embedded(data, ctx, embedding)]
    return keep_images(data, torch.cat(chosen), ctx)


@torch.no_grad()
def embedded(data: ImageSet, ctx: Context, embedding: Embedding) -> Iterator[tuple[int, Tensor, Tensor]]:
    """Yield each class with the positions of its images and their embeddings (n, D) on the CPU.

    The embedding network is DC-Bench's: one that was trained on all images for one epoch.
    """
    embed = _trained_network(data, ctx) if embedding == "network" else _pixels
    for label in range(data.num_classes):
        index = data.of_class(label)
        batches = [embed(data.read(part, ctx.device)).cpu() for part in torch.split(index, TEST_BATCH)]
        yield label, index, torch.cat(batches)


def _pixels(images: Tensor) -> Tensor:
    return images.flatten(1)


def _trained_network(data: ImageSet, ctx: Context) -> Callable[[Tensor], Tensor]:
    body = ctx.make_network("embedding").eval()
    assert isinstance(body, Body)
    vector_to_parameters(ctx.embedding[0][-1].to(ctx.device), body.parameters())
    _set_batch_norms(body, data, ctx)
    features = by_chunks(body.features, body)
    return lambda pixels: features(ctx.into_space(pixels))


def _set_batch_norms(body: Body, data: ImageSet, ctx: Context) -> None:
    """Give batch norms the mean statistics of all images: an embedding is weights alone."""
    norms = [module for module in body.modules() if isinstance(module, nn.modules.batchnorm._BatchNorm)]
    if not norms:
        return
    for norm in norms:
        norm.train().momentum = None  # all batches count the same
    order = torch.randperm(len(data), generator=ctx.seeds.child("statistics").torch())
    for index in torch.split(order, TEST_BATCH):
        body(ctx.into_space(data.read(index, ctx.device)))
    body.eval()
