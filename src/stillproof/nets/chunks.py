"""Images go through a network in chunks that fit the processor's cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from stillproof.nets.body import Body

# Bytes of the largest activation of a chunk. Measured with ConvNet-3 at 32 px on two cores: 16 to 32 images at a time
# (8 to 16 MiB) go through at the rate of a matrix multiplication, 500 at half of it. A fixed number, and not this
# machine's cache, so that the same cell is always computed in the same way.
WORKING_SET = 16 * 2**20


def most_at_once(body: nn.Module) -> int:
    """Return the number of images of the largest chunk; 0 for all at once, as where they change each other."""
    return most_of_map(body, body.largest_map) if isinstance(body, Body) else 0


def most_of_map(module: nn.Module, largest_map: int) -> int:
    """Return the same for any module, given the values that its largest layer makes of one image; 0 if unknown."""
    if not largest_map or is_best_as_it_is(module) or _mixes_images(module):
        return 0
    if next(module.parameters()).device.type != "cpu":
        return 0
    return max(1, WORKING_SET // (4 * largest_map))


def is_best_as_it_is(module: nn.Module) -> bool:
    """Say whether a network, or the one within a model, gains nothing by chunks or compiling."""
    return any(isinstance(part, Body) and part.best_as_it_is for part in module.modules())


def chunk_size(count: int, most: int) -> int:
    """Return the size of the chunks that ``count`` images make: equal if that goes, since each size is compiled."""
    if not most or count <= most:
        return max(1, count)
    nearly_equal = -(-count // -(-count // most))
    return next((size for size in range(most, most // 2, -1) if count % size == 0), nearly_equal)


def by_chunks(function: Callable[[Tensor], Tensor], body: nn.Module) -> Callable[[Tensor], Tensor]:
    """Return ``function``, which takes images through ``body`` to one row each, as one that does so in chunks."""

    def call(images: Tensor) -> Tensor:
        size = chunk_size(len(images), most_at_once(body))
        if size >= len(images):
            return function(images)
        return torch.cat([function(part) for part in torch.split(images, size)])

    return call


def shares(body: nn.Module, images: Tensor, labels: Tensor) -> Iterator[tuple[Tensor, Tensor, float]]:
    """Yield chunks of images and labels with their share of all, by which their mean losses add up to the whole's."""
    size = chunk_size(len(images), most_at_once(body))
    for part, truth in zip(torch.split(images, size), torch.split(labels, size), strict=True):
        yield part, truth, len(part) / len(images)


def _mixes_images(body: nn.Module) -> bool:
    """Say whether images of one batch change each other now: under batch norms that are in training mode."""
    return any(isinstance(m, nn.modules.batchnorm._BatchNorm) and m.training for m in body.modules())
