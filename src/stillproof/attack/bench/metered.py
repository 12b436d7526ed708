"""A model that counts what is asked of it, image by image, and remembers the nearest change that fooled it."""

from __future__ import annotations

import time

import torch
from torch import Tensor, nn

from stillproof.attack.base.norms import Norm, sizes
from stillproof.attack.base.random_models import FreshDraws, majority, mostly_fooled


class Metered(nn.Module):
    """A model under an attack that is third-party code, so that only its questions can be seen.

    Each question is taken to be about the image that is nearest to it. An image whose passes are used up gets answers
    that are right and have no slope, so that nothing more can be learned from the model. A model that answers at random
    is fooled by a change if most of some fresh draws are, which do not count.
    """

    def __init__(
        self,
        model: nn.Module,
        images: Tensor,
        labels: Tensor,
        norm: Norm,
        budget: int,
        draws: FreshDraws | None = None,
    ) -> None:
        """Ask about the clean images once, which does not count.

        Args:
            model: Takes pixels in [0, 1] to logits.
            images: The clean images, (N, C, H, W).
            labels: Their classes.
            norm: The norm that changes are measured in.
            budget: The most passes, forward and backward together, of each image.
            draws: Fresh draws of a model that answers at random.
        """
        super().__init__()
        self.model, self.images, self.labels = model, images, labels
        self.norm: Norm = norm
        self.budget, self.draws = budget, draws
        self.eval()
        with torch.no_grad():
            logits = model(images)
        self.clean_logits: Tensor = logits
        self.classes: int = logits.shape[1]
        self.clean_right = (logits.argmax(1) if draws is None else majority(draws.votes(images), labels)) == labels
        self.nearest = torch.full((len(images),), float("inf"), device=images.device)
        self.nearest[~self.clean_right] = 0.0
        self.forwards = torch.zeros(len(images), dtype=torch.int64, device=images.device)
        self.backwards = torch.zeros_like(self.forwards)
        self.own_seconds = 0.0  # that counting took
        # Identical images cannot be told apart: the first of them stands for all. Distances of many are rounded, and
        # would not do.
        flat = images.flatten(1)
        self.first = torch.stack([(flat == one).all(1).float().argmax() for one in flat])

    @property
    def used_up(self) -> bool:
        """Say whether every image that is right has used its passes up."""
        return bool((self._spent >= self.budget)[self.clean_right].all())

    @property
    def _spent(self) -> Tensor:
        return self.forwards + self.backwards

    def forward(self, pixels: Tensor) -> Tensor:
        """Return logits; of images whose passes are used up, logits of their own class."""
        began = time.perf_counter()
        pixels = pixels.clamp(0, 1)
        rows = torch.cdist(pixels.detach().flatten(1), self.images.flatten(1)).argmin(1)
        asked = self._within_budget(rows)
        self.forwards.index_add_(0, rows, asked.long())
        self.own_seconds += time.perf_counter() - began
        logits: Tensor = self.model(pixels)
        began = time.perf_counter()
        right = nn.functional.one_hot(self.labels[rows], self.classes).to(logits)
        logits = torch.where(asked.unsqueeze(1), logits, right)
        self._note(pixels.detach(), logits.detach(), rows, asked)
        if logits.requires_grad:
            logits.register_hook(lambda gradient: self._backward(gradient, rows))  # type: ignore[no-untyped-call]
        self.own_seconds += time.perf_counter() - began
        return logits

    def _within_budget(self, rows: Tensor) -> Tensor:
        """Say which questions still count, the first ones where one image is asked about several times at once."""
        earlier = (rows.unsqueeze(0) == rows.unsqueeze(1)).tril(-1).sum(1)
        return self._spent[rows] + earlier < self.budget

    def _backward(self, gradient: Tensor, rows: Tensor) -> Tensor:
        counted = self._within_budget(rows)
        self.backwards.index_add_(0, rows, counted.long())
        return gradient * counted.unsqueeze(1)

    def _note(self, points: Tensor, logits: Tensor, rows: Tensor, asked: Tensor) -> None:
        numbers = points.isfinite().flatten(1).all(1)  # some libraries divide by zero on the way
        fooled = asked & numbers & (logits.argmax(1) != self.labels[rows])
        if self.draws is not None and fooled.any():
            fooled = self._mostly(points, rows, fooled)
        size = sizes(points[fooled] - self.images[rows[fooled]], self.norm)
        self.nearest.scatter_reduce_(0, rows[fooled], size, "amin")

    def _mostly(self, points: Tensor, rows: Tensor, fooled: Tensor) -> Tensor:
        """Say which points that fooled one answer, and are nearer than those before, fool most fresh draws."""
        assert self.draws is not None
        asked = fooled & (sizes(points - self.images[rows], self.norm) < self.nearest[rows])
        if asked.any():
            asked[asked.clone()] = mostly_fooled(self.draws.votes(points[asked]), self.labels[rows[asked]], None)
        return asked
