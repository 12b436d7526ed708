"""Finds the real image whose features are nearest to those of each of some images."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.core.types import ImageSet
from stillproof.run.features import Embedder
from stillproof.run.nearest import Seen, in_parts


@dataclass(frozen=True)
class NearFeatures:
    """The nearest real image of each of N images: its place (N,) int64, and the distance of features (N,) float32."""

    index: Tensor
    distance: Tensor


def nearest_features(
    features: Tensor, data: ImageSet, embedder: Embedder, seen: Seen, leave_out: Tensor
) -> NearFeatures:
    """Return the real image whose features are nearest; those of all real images are never held at once.

    Args:
        features: Those of the images (N, D).
        data: The real images.
        embedder: What gives their features.
        seen: What becomes of them first.
        leave_out: For each image the place of a real one that does not count, such as itself; below 0 for none.
    """
    squares = features.square().sum(1, keepdim=True)
    distance, index = torch.full((len(features),), torch.inf), torch.zeros(len(features), dtype=torch.int64)
    for part in in_parts(data):
        start = part.start
        real = torch.from_numpy(embedder.pixels(seen(data.read(part, embedder.device))))
        apart = torch.addmm(real.square().sum(1), features, real.T, alpha=-2).add_(squares)
        mine = (leave_out >= start) & (leave_out < start + len(real))
        apart[mine, leave_out[mine] - start] = torch.inf
        found = apart.min(1)
        nearer = found.values < distance
        distance = torch.where(nearer, found.values, distance)
        index = torch.where(nearer, found.indices + start, index)
    return NearFeatures(index, distance.clamp(min=0).sqrt())
