"""Where targets come from: the labels of the set, a recorded run, teachers, or whatever a source of one's own knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from torch import Tensor

from stillproof.core.types import Hard, Stored
from stillproof.train.batch import Augmented
from stillproof.train.labels import Form, from_shares, in_form, to_shares
from stillproof.train.recipe import Recipe

if TYPE_CHECKING:
    from stillproof.train.training import Training


class TargetSource:
    """Base of all sources: a source of its own needs ``targets`` alone."""

    def targets(self, batch: Augmented, form: Form) -> Tensor:
        """Return what a batch is trained towards, on the device of its images; asked after augmentation."""
        raise NotImplementedError

    def check(self, recipe: Recipe) -> None:
        """Refuse a recipe that these targets cannot be trained under."""

    def begin(self, training: Training) -> None:
        """Prepare for a training, before its first step."""

    def order(self, epoch: int) -> Sequence[Tensor] | None:
        """Return the positions of a pass, batch by batch, if these targets belong to an order; else None."""
        return None

    def changed(self, images: Tensor, epoch: int, number: int) -> Tensor | None:
        """Return a batch as these targets saw it, if they belong to a recorded change of it; else None."""
        return None


class LabelTargets(TargetSource):
    """The labels that come with a set: one per image, mixed where images are."""

    def __init__(self, labels: Hard | Stored, num_classes: int, device: str) -> None:
        """Name the labels."""
        self.labels, self.num_classes, self.device = labels, num_classes, device
        self._forms: dict[Form, Tensor] = {}

    def targets(self, batch: Augmented, form: Form) -> Tensor:
        """Return the labels at the batch's positions, mixed as its images were."""
        if form not in self._forms:
            self._forms[form] = in_form(self.labels, form, self.num_classes).to(self.device)
        whole = self._forms[form]
        found = whole[batch.positions.to(whole.device)]
        if batch.mix is None:
            return found
        return from_shares(batch.mix(to_shares(found, form, self.num_classes)), form)
