"""Repeats a recorded training run: its order of images, its crops, flips and mixes, with its teacher's logits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import Labels, PerEpoch
from stillproof.train.batch import Augmented
from stillproof.train.labels import LOGITS, Form
from stillproof.train.objective import objective_of
from stillproof.train.recipe import Recipe
from stillproof.train.target_source import TargetSource
from stillproof.transforms.crop_resize import crop_resize


@dataclass(frozen=True)
class Replay(TargetSource):
    """The targets of a recorded run, which has its own order of the images and its own changes of them."""

    labels: PerEpoch

    def check(self, recipe: Recipe) -> None:
        """Refuse a recipe that the recording cannot be replayed under."""
        check_replay(self.labels, recipe)

    def order(self, epoch: int) -> Sequence[Tensor]:
        """Return the recorded order."""
        return [self.labels.order[epoch, place].long() for place in self._places()]

    def changed(self, images: Tensor, epoch: int, number: int) -> Tensor:
        """Return the images cropped, flipped and mixed as they were recorded."""
        labels, place = self.labels, self._places()[number]
        images = crop_resize(images, pixel_boxes(labels.coords[epoch, place], images.shape[2], images.shape[3]))
        flipped = labels.flip[epoch, place].to(images.device).view(-1, 1, 1, 1)
        images = torch.where(flipped, images.flip(3), images)
        partner = labels.mix_index[epoch, place].long().to(images.device)
        return mix(images, partner, float(labels.mix_lambda[epoch, number]), labels.mix_box[epoch, number])

    def targets(self, batch: Augmented, form: Form) -> Tensor:
        """Return the recorded logits."""
        assert form in LOGITS, "this is checked before training"
        return self.labels.logits[batch.epoch, self._places()[batch.number]].to(batch.images.device).float()

    def _places(self) -> Sequence[Tensor]:
        return torch.split(torch.arange(len(self.labels.values)), self.labels.batch)


def pixel_boxes(coords: Tensor, height: int, width: int) -> Tensor:
    """Return shares (N, 4) of an image as whole pixels; the recording divided whole pixels by the size."""
    return (coords * coords.new_tensor([height, width, height, width])).round().long()


def mix(images: Tensor, partner: Tensor, own_share: float, box: Tensor) -> Tensor:
    """Return images mixed with those at ``partner``: added to them, and covered by them inside ``box``."""
    others = images[partner]
    if own_share != 1:
        images = own_share * images + (1 - own_share) * others
    top, left, bottom, right = box.tolist()
    if bottom > top and right > left:
        images = images.clone()
        images[:, :, top:bottom, left:right] = others[:, :, top:bottom, left:right]
    return images


def check_replay(labels: Labels, recipe: Recipe) -> None:
    """Refuse a recipe that a recording cannot be replayed under."""
    if not isinstance(labels, PerEpoch):
        return
    if objective_of(recipe.objective).form not in LOGITS:
        raise BadInput(
            f"this set has a soft label for every epoch, which objective {recipe.objective!r} cannot train on: use "
            f"recipe 'fkd:epochs={labels.epochs}'."
        )
    if recipe.augment != "none":
        raise BadInput(
            f"this set's labels belong to recorded crops and mixes, so that augmentation {recipe.augment!r} cannot be "
            "added: use augment=none."
        )
    if not recipe.shuffle:
        raise BadInput(
            "this set's labels belong to a recorded order of its images, which shuffle=false cannot keep: "
            "use shuffle=true."
        )
    if recipe.epochs > labels.epochs:
        raise BadInput(
            f"the recipe asks for {recipe.epochs} epochs, but labels are recorded for {labels.epochs}: "
            f"use at most epochs={labels.epochs}."
        )
