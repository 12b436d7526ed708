"""Repeats a recorded training run: its order of images, its crops, flips and mixes, with its teacher's logits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import Labels, PerEpoch
from stillproof.train.recipe import Recipe
from stillproof.transforms.crop_resize import crop_resize


@dataclass(frozen=True)
class Replay:
    """The batches of a recorded run.

    Args:
        labels: The recording.
        read: Takes positions (B,) to images (B, C, H, W) in the body's space.
        device: Where the images are.
    """

    labels: PerEpoch
    read: Callable[[Tensor], Tensor]
    device: str

    def batches(self, epoch: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield images and logits of one pass, both on the device."""
        labels = self.labels
        for number, place in enumerate(torch.split(torch.arange(len(labels.values)), labels.batch)):
            images = self.read(labels.order[epoch, place].long())
            images = crop_resize(images, pixel_boxes(labels.coords[epoch, place], images.shape[2], images.shape[3]))
            flipped = labels.flip[epoch, place].to(self.device).view(-1, 1, 1, 1)
            images = torch.where(flipped, images.flip(3), images)
            partner = labels.mix_index[epoch, place].long().to(self.device)
            mixed = mix(images, partner, float(labels.mix_lambda[epoch, number]), labels.mix_box[epoch, number])
            yield mixed, labels.logits[epoch, place].to(self.device).float()


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
    if recipe.loss != "kl":
        raise BadInput(
            f"this set has a soft label for every epoch, which loss {recipe.loss!r} cannot train on: use recipe "
            f"'fkd:epochs={labels.epochs}'."
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
