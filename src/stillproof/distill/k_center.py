"""K-Center as DC-Bench has it: the real images nearest to the k-means centres of each class."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from torch import Tensor

from stillproof.core.components import distillers
from stillproof.core.context import Context
from stillproof.core.needs import Needs
from stillproof.core.types import Distilled, ImageSet
from stillproof.distill.choosing.chosen_images import keep_images
from stillproof.distill.choosing.embeddings import Choosing, Embedding, embedded
from stillproof.distill.grids.grid import Form, images_each


@distillers.register("k-center", version=1, paper="arXiv:2207.09639")
@dataclass(frozen=True)
class KCenter(Choosing):
    """Choose the images nearest to the k-means centres of their class.

    Args:
        embedding: What is clustered: features of a network trained for one epoch, or raw pixels.
        starts: Independent starts of k-means, of which the tightest counts.
        form: One real image in each, or four at half size, from four times as many centres.
    """

    starts: int = 10  # scikit-learn's default when the paper was written
    form: Form = "single"

    def __post_init__(self) -> None:
        """Refuse what k-means cannot do."""
        if self.starts < 1:
            raise ValueError("starts must be at least 1")

    @property
    def needs(self) -> Needs:
        """Say which network must have been trained before, and how many real images are needed."""
        each = images_each(1, self.form)
        return dataclasses.replace(super().needs, real_per_image=each, trained_per_image=each)

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        """Return ``ipc`` images per class."""
        each = images_each(ipc, self.form)
        return keep_images(data, k_center_positions(data, each, ctx, self.embedding, self.starts), ctx, self.form)


def k_center_positions(data: ImageSet, ipc: int, ctx: Context, embedding: Embedding, starts: int) -> Tensor:
    """Return the positions of the chosen images, class by class."""
    from sklearn.cluster import KMeans  # imported here: it takes a second, and every method with a first image is here

    chosen = []
    for label, index, points in embedded(data, ctx, embedding):
        seed = ctx.seeds.child("k-means", label).integer() % 2**32
        kmeans = KMeans(n_clusters=ipc, n_init=starts, max_iter=300, random_state=seed)
        with threadpool_limits(1):  # sums of several threads come in any order, and so would the last bits
            kmeans.fit(points.numpy())
        chosen.append(index[_nearest_each(points.numpy(), kmeans.cluster_centers_)])
    return torch.cat(chosen)


def _nearest_each(points: np.ndarray, centres: np.ndarray) -> Tensor:
    """Return the point nearest to each centre; a point that an earlier centre took is not taken twice."""
    taken: list[int] = []
    for centre in centres:
        distance = ((points - centre) ** 2).sum(1)
        distance[taken] = np.inf
        taken.append(int(distance.argmin()))
    return torch.tensor(taken)
