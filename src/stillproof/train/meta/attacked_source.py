"""What a meta-learned defence is trained on: images under attacks to learn from, and under others to be chosen by."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.train.batch import Augmented
from stillproof.train.labels import Form
from stillproof.train.meta.attacked_data import AttackedData
from stillproof.train.target_source import TargetSource
from stillproof.train.train_data import TrainData


@dataclass(frozen=True)
class AttackedSource(TargetSource):
    """Attacked images for episodes.

    Args:
        learned: Images to learn from, under known attacks.
        shots: Images to adapt to, under attacks that the epoch is chosen by; none if the last epoch counts.
        judged: Images of other sources under the same attacks, which the epoch is chosen by.
        supports: Images for support sets under the known attacks, in place of ``learned``, of which queries then are.
    """

    learned: AttackedData
    shots: AttackedData | None = None
    judged: AttackedData | None = None
    supports: AttackedData | None = None

    def targets(self, batch: Augmented, form: Form) -> Tensor:
        """Refuse to be trained on batch by batch."""
        raise BadInput("attacked sets are learned from in episodes: choose a recipe such as meta-at.")

    def data(self) -> TrainData:
        """Return the training data of which this is the source."""
        images = torch.cat([one.images for one in self.learned.attacks])
        labels = torch.cat([one.labels for one in self.learned.attacks])
        front, device = self.learned.front, self.learned.device

        def read(index: Tensor) -> Tensor:
            with torch.no_grad():
                seen: Tensor = front(images[index.cpu()].to(device).float().div_(255))
            return seen

        return TrainData(read, labels.to(device), self.learned.clean.num_classes, self)
