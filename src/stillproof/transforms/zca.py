"""ZCA whitening: a linear map after which the pixels of the training set are hardly correlated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import ImageSet
from stillproof.transforms.front import Front

BATCH = 1000  # images of a set that are read at once


class ZCA(Front):
    """Whitening by U diag(1 / sqrt(S + eps)) U^T, where U diag(S) U^T is the covariance of the flat pixels.

    Its state dict is the shared artifact: ``ZCA(**state)`` makes it again.

    Args:
        mean: Mean image (C, H, W).
        matrix: Whitening matrix (D, D), D = C * H * W.
        inverse_matrix: Its inverse (D, D).
    """

    mean: Tensor
    matrix: Tensor
    inverse_matrix: Tensor

    def __init__(self, mean: Tensor, matrix: Tensor, inverse_matrix: Tensor) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("matrix", matrix)
        self.register_buffer("inverse_matrix", inverse_matrix)

    @classmethod
    def fit(cls, images: ImageSet | Iterable[Tensor], eps: float = 0.1) -> Self:
        """Fit the whitening, in one pass and in memory for one batch and a few D x D matrices.

        Args:
            images: A data set, or batches (N, C, H, W) of float pixels in [0, 1].
            eps: Added to the eigenvalues.
        """
        mean, covariance = _moments(_batches(images) if isinstance(images, ImageSet) else images)
        # The covariance is symmetric, so its eigenvectors are its singular vectors. Rounding can leave eigenvalues
        # just below zero.
        eigenvalues, vectors = torch.linalg.eigh(covariance)
        roots = (eigenvalues.clamp(min=0) + eps).sqrt()
        matrix = (vectors / roots) @ vectors.T
        inverse_matrix = (vectors * roots) @ vectors.T
        return cls(mean.float(), matrix.float(), inverse_matrix.float())

    def forward(self, images: Tensor) -> Tensor:
        """Map pixels to whitened images."""
        return ((images - self.mean).flatten(1) @ self.matrix).view(images.shape)

    def inverse(self, images: Tensor) -> Tensor:
        """Map whitened images to pixels."""
        return (images.flatten(1) @ self.inverse_matrix).view(images.shape) + self.mean


def _batches(data: ImageSet) -> Iterable[Tensor]:
    return (data.read(slice(start, start + BATCH)) for start in range(0, len(data), BATCH))


def _moments(batches: Iterable[Tensor]) -> tuple[Tensor, Tensor]:
    """Return mean (C, H, W) and unbiased covariance (D, D) of the images, in float64."""
    count = 0
    total = products = torch.zeros(())
    for batch in batches:
        if not batch.is_floating_point():
            raise BadInput(f"ZCA is fitted on float pixels in [0, 1], not on {batch.dtype}: divide by 255 first.")
        flat = batch.flatten(1).double()
        if count == 0:
            shape = batch.shape[1:]
            total, products = flat.new_zeros(flat.shape[1]), flat.new_zeros(flat.shape[1], flat.shape[1])
        count += len(flat)
        total += flat.sum(0)
        products.addmm_(flat.T, flat)
    if count < 2:
        raise BadInput(f"ZCA needs at least 2 images to be fitted, not {count}.")
    mean = total / count
    return mean.view(shape), (products - count * mean.outer(mean)) / (count - 1)
