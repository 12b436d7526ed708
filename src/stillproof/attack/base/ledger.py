"""What is known of each image of a batch while it is attacked: the best change so far, and what it cost."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from stillproof.attack.base.norms import Norm, sizes

# Which of the changed images that were shown to the model counts: the first that fooled it, else the last; always the
# last; or the nearest that fooled it, else the clean image.
Answer = Literal["first", "last", "nearest"]
NEVER = -1


class Ledger:
    """Numbers of each image, all on the images' device.

    ``forwards`` and ``backwards`` count passes, ``first_success`` those up to the one that showed the first success.
    """

    def __init__(self, images: Tensor, labels: Tensor, answer: Answer, norm: Norm) -> None:
        """Begin with the clean images."""
        n, device = len(images), images.device
        self.clean = images
        self.images = images.clone()
        self.labels = labels
        self.targets: Tensor | None = None
        self.answer = answer
        self.norm: Norm = norm
        self.clean_predictions = self.predictions = torch.full((n,), NEVER, device=device)
        self.fooled = torch.zeros(n, dtype=torch.bool, device=device)
        self.nearest = torch.full((n,), float("inf"), device=device)
        self.forwards = torch.zeros(n, dtype=torch.int64, device=device)
        self.backwards = torch.zeros(n, dtype=torch.int64, device=device)
        self.first_success = torch.full((n,), NEVER, device=device)
        self.no_gradient = torch.zeros(n, dtype=torch.bool, device=device)

    @property
    def own_seconds(self) -> float:
        """Return what judging took so far, where the model is asked for it."""
        return 0.0

    def begin(self, logits: Tensor) -> None:
        """Note what the model says of the clean images."""
        self.predictions = logits.argmax(1)
        self.clean_predictions = self.predictions.clone()
        self.fooled = self.fools(self.predictions, slice(None))
        self.first_success[self.fooled] = (self.forwards + self.backwards)[self.fooled]
        self.nearest[self.fooled] = 0.0

    def judge(self, rows: Tensor, points: Tensor, logits: Tensor) -> None:
        """Note what the model said of changed images, and keep those that count."""
        said = logits.argmax(1)
        fooled = self.fools(said, rows)
        new = fooled & (self.first_success[rows] == NEVER)
        self.first_success[rows[new]] = (self.forwards + self.backwards)[rows[new]]
        counts = self._counts(rows, points, fooled)
        kept = rows[counts]
        self.images[kept] = points[counts]
        self.predictions[kept] = said[counts]
        self.fooled[kept] = fooled[counts]

    def give_back(self, rows: Tensor) -> None:
        """Take the clean images as an attack's last word."""
        self.images[rows] = self.clean[rows]
        self.predictions[rows] = self.clean_predictions[rows]

    def close(self) -> dict[str, Tensor]:
        """Judge for the last time, and return what is known of each image besides: nothing, if one answer is enough."""
        return {}

    def fools(self, said: Tensor, rows: Tensor | slice) -> Tensor:
        """Say which predictions are errors as wanted."""
        return said != self.labels[rows] if self.targets is None else said == self.targets[rows]

    def _counts(self, rows: Tensor, points: Tensor, fooled: Tensor) -> Tensor:
        """Say which changed images take the place of those that are kept."""
        if self.answer == "last":
            return torch.ones_like(fooled)
        if self.answer == "first":
            return ~self.fooled[rows]
        size = sizes(points - self.clean[rows], self.norm)
        nearer = fooled & (size < self.nearest[rows])
        self.nearest[rows[nearer]] = size[nearer]
        return nearer
