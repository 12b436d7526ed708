"""The part of a model after its front: an embedding of the images and a classifier on top of it."""

from __future__ import annotations

from torch import Tensor, nn


class Body(nn.Module):
    """Base of all networks: a subclass sets ``classifier`` and defines ``features``."""

    classifier: nn.Module
    largest_map: int = 0  # values that the largest layer makes of one image; known where the network was built

    def features(self, images: Tensor) -> Tensor:
        """Return the flat embedding (N, D) that the classifier sees."""
        raise NotImplementedError

    def forward(self, images: Tensor) -> Tensor:
        """Return the logits (N, classes)."""
        logits: Tensor = self.classifier(self.features(images))
        return logits
