"""Finds which clean images attacked ones were made of: the nearest of the same class, in L2 on bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import ImageSet

AT_ONCE, MOST_ROWS = 2**23, 2**11  # numbers of 8 bytes, and images
NEARLY = 1.15  # a second clean image at most so many times as far makes the nearest one a guess


@dataclass(frozen=True)
class Nearest:
    """The clean image that is nearest to each image.

    Args:
        sources: Its place in the split, (N,) int64.
        squares: How far it is, squared, (N,).
        second: The same of the second nearest.
    """

    sources: Tensor
    squares: NDArray[np.float64]
    second: NDArray[np.float64]

    @property
    def shared(self) -> int:
        """Return how many images have the same nearest clean image as another one."""
        _, which, counts = np.unique(self.sources.numpy(), return_inverse=True, return_counts=True)
        return int((counts[which] > 1).sum())

    @property
    def guessed(self) -> int:
        """Return for how many images a second clean image is nearly as near."""
        return int((self.second <= NEARLY**2 * self.squares).sum())


def nearest_clean(images: NDArray[np.uint8], labels: NDArray[np.int64], data: ImageSet) -> Nearest:
    """Return the nearest clean image of each; of equally near ones the first.

    Raises:
        BadInput: The split has no image of a class.
    """
    sources, squares = np.zeros(len(labels), np.int64), np.full((len(labels), 2), np.inf)
    step = max(1, min(MOST_ROWS, AT_ONCE // (data.info.channels * data.info.size**2)))
    for label in np.unique(labels):
        mine, members = np.flatnonzero(labels == label), data.of_class(int(label))
        if not len(members):
            raise BadInput(f"that part of {data.info.name} has no image of class {label}: name the right one.")
        for chosen, clean in _clean(data, members, step):
            for begin in range(0, len(mine), step):
                part = mine[begin : begin + step]
                apart = _squares(_rows(images[part]), clean)
                nearer = apart.min(1) < squares[part, 0]
                sources[part[nearer]] = chosen[apart.argmin(1)[nearer]]
                two = np.partition(apart, min(1, len(clean) - 1), axis=1)[:, :2]
                squares[part] = np.sort(np.column_stack([squares[part], two]), axis=1)[:, :2]
    return Nearest(torch.from_numpy(sources), squares[:, 0], squares[:, 1])


def _clean(data: ImageSet, members: Tensor, step: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Yield clean images as rows of bytes, some at once, with their places."""
    for index in torch.split(members, step):
        pixels = data.read(index).cpu().clamp(0, 1).mul(255).round().to(torch.uint8)
        yield index.numpy(), _rows(pixels.numpy())


def _rows(images: NDArray[np.uint8]) -> NDArray[np.float64]:
    return images.reshape(len(images), -1).astype(np.float64)  # in which sums of squares of bytes are exact


def _squares(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the squared distances of rows, (N, M)."""
    squares: NDArray[np.float64] = (one**2).sum(1)[:, None] - 2 * one @ other.T + (other**2).sum(1)
    return squares
