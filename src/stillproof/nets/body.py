"""The part of a model after its front: an embedding of the images and a classifier on top of it."""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor, nn


class Body(nn.Module):
    """Base of all networks: a subclass sets ``classifier`` and defines ``features``."""

    classifier: nn.Module
    largest_map: int = 0  # values that the largest layer makes of one image; known where the network was built
    # Whether it is fastest eager and all images at once, on a processor: so networks without norms and transformers,
    # which have little between their products that compiling could join. Measured by ``python -m benchmarks families``.
    best_as_it_is: ClassVar[bool] = False

    def features(self, images: Tensor) -> Tensor:
        """Return the flat embedding (N, D) that the classifier sees."""
        raise NotImplementedError

    def forward(self, images: Tensor) -> Tensor:
        """Return the logits (N, classes)."""
        logits: Tensor = self.classifier(self.features(images))
        return logits
