"""Features of real and of distilled images in a stored network, to see where they lie among each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stillproof.core.errors import Unsupported
from stillproof.core.seeds import Seeds
from stillproof.core.types import Distilled, ImageSet, Space
from stillproof.nets.chunks import by_chunks
from stillproof.run.stage import Job
from stillproof.run.trained_models import read_trained
from stillproof.sets.fronts import front_of
from stillproof.store.store import Store
from stillproof.train.model import TEST_BATCH, TrainedModel
from stillproof.transforms.decode import decode_images

Features = NDArray[np.float32]  # (N, D)


@dataclass(frozen=True)
class Embedder:
    """Takes images to the features of a trained network, which sees them in ``space``."""

    model: TrainedModel
    space: Space
    store: Store
    device: str

    def real(self, data: ImageSet, index: Tensor) -> Features:
        """Return the features of the real images at ``index``."""
        return self._embed(index, lambda part: self.model.front(data.read(part, self.device)))

    def distilled(self, distilled: Distilled, label: int) -> Features:
        """Return the features of a set's images of one class, decoded; there may be none."""
        chosen = distilled.labels.classes == label
        images = decode_images(distilled.images[chosen], distilled.decode)
        if distilled.space == self.space:
            return self._embed(images, lambda part: part.to(self.device))
        own = front_of(distilled.space, self.store).to(self.device)
        return self._embed(images, lambda part: self.model.front(own.inverse(part.to(self.device))))

    def pixels(self, images: Tensor) -> Features:
        """Return the features of images that are pixels."""
        return self._embed(images, lambda part: self.model.front(part.to(self.device)))

    @torch.no_grad()
    def _embed(self, items: Tensor, into_space: Callable[[Tensor], Tensor]) -> Features:
        """Return the features of the items, which ``into_space`` turns into images part by part."""
        if not len(items):
            return np.empty((0, 0), np.float32)
        parts = (into_space(items[start : start + TEST_BATCH]) for start in range(0, len(items), TEST_BATCH))
        features = by_chunks(self.model.body.features, self.model.body)
        found = torch.cat([features(part).cpu() for part in parts]).float()
        if not bool(found.isfinite().all()):
            raise Unsupported("the network's features are not finite numbers: its training has diverged.")
        return np.asarray(found.numpy(), np.float32)


def read_embedder(train_cell: str, job: Job) -> Embedder:
    """Return the embedder of the network that a training cell ended with."""
    found = read_trained(train_cell, job)
    return Embedder(found.model, found.space, job.store, job.device)


def sample_of_class(data: ImageSet, label: int, most: int) -> Tensor:
    """Return the positions of at most ``most`` images of a class, in a random order that is always the same."""
    index = data.of_class(label)
    order = torch.randperm(len(index), generator=Seeds(0).child("distribution", "real", label).torch())
    return index[order[:most]]
