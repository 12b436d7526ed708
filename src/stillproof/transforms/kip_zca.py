"""The whitening of KIP's authors: every image is centred and scaled to length 1 before pixels are decorrelated."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Self

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import ImageSet
from stillproof.transforms.zca import ZCA

BATCH = 1000  # images of a set that are read at once
SMALLEST = 1e-12  # length below which an image is flat and stays zero


class KipZCA(ZCA):
    """Whitening by U diag(1 / sqrt(S)) U^T, where U diag(S) U^T is the second moment of unit images plus a ridge.

    The brightness and the contrast of an image are gone afterwards: ``inverse`` gives back the mean image's.

    Args:
        mean: Mean of each channel (C, 1, 1).
        matrix: Whitening matrix (D, D), D = C * H * W.
        inverse_matrix: Its inverse (D, D).
        std: Standard deviation of each channel (C, 1, 1).
        length: Usual length of a standardised image, a scalar; only for pictures.
    """

    std: Tensor
    length: Tensor

    def __init__(self, mean: Tensor, matrix: Tensor, inverse_matrix: Tensor, std: Tensor, length: Tensor) -> None:
        super().__init__(mean, matrix, inverse_matrix)
        self.register_buffer("std", std)
        self.register_buffer("length", length)

    @classmethod
    def fit(cls, images: ImageSet | Iterable[Tensor], eps: float = 0.1) -> Self:
        """Fit the whitening, in two passes over a data set; ``eps`` is the ridge, as a share of the mean eigenvalue."""
        if not isinstance(images, ImageSet):
            raise BadInput("this whitening reads its images twice: give it a data set.")
        shape = (-1, 1, 1)
        mean, std = channel_statistics(images)
        moment, length = _second_moment(images, lambda batch: (batch - mean.view(shape)) / std.view(shape))
        moment += eps * moment.trace() / len(moment) * torch.eye(len(moment), dtype=moment.dtype)
        eigenvalues, vectors = torch.linalg.eigh(moment)
        roots = eigenvalues.sqrt()
        matrix, inverse_matrix = (vectors / roots) @ vectors.T, (vectors * roots) @ vectors.T
        mean, std = mean.view(shape), std.view(shape)
        return cls(mean.float(), matrix.float(), inverse_matrix.float(), std.float(), length.float())

    def forward(self, images: Tensor) -> Tensor:
        """Map pixels to whitened images."""
        unit, _ = _unit((images - self.mean) / self.std)
        return (unit @ self.matrix).view(images.shape)

    def inverse(self, images: Tensor) -> Tensor:
        """Map whitened images to pixels of the usual brightness and contrast."""
        unit = (images.flatten(1) @ self.inverse_matrix).view(images.shape)
        return unit * self.length * self.std + self.mean


def channel_statistics(data: ImageSet) -> tuple[Tensor, Tensor]:
    """Return the exact mean and standard deviation of each channel, (C,) in float64."""
    count, total, squares = 0, torch.zeros(()), torch.zeros(())
    for batch in _batches(data):
        count += batch.shape[0] * batch.shape[2] * batch.shape[3]
        total = total + batch.sum((0, 2, 3))
        squares = squares + batch.square().sum((0, 2, 3))
    mean = total / count
    return mean, (squares / count - mean.square()).clamp(min=SMALLEST).sqrt()


def _second_moment(data: ImageSet, standardise: Callable[[Tensor], Tensor]) -> tuple[Tensor, Tensor]:
    """Return the second moment (D, D) of the unit images, and their mean length before that."""
    products = lengths = torch.zeros((), dtype=torch.float64)
    for batch in _batches(data):
        unit, length = _unit(standardise(batch))
        products = products + unit.T @ unit
        lengths = lengths + length.sum()
    return products / len(data), lengths / len(data)


def _unit(images: Tensor) -> tuple[Tensor, Tensor]:
    """Return flat images (N, D) of mean 0 and length 1, and their lengths (N,)."""
    flat = images.flatten(1)
    flat = flat - flat.mean(1, keepdim=True)
    length = flat.norm(dim=1, keepdim=True)
    return flat / length.clamp(min=SMALLEST), length.squeeze(1)


def _batches(data: ImageSet) -> Iterable[Tensor]:
    return (data.read(slice(start, start + BATCH)).double() for start in range(0, len(data), BATCH))
