"""Checks of tensors that came from outside, before they become a distilled set."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo, Labels, PerEpoch, Stored, Taught

FAR = 50.0
SUM_ERROR = 1e-3  # of probabilities that somebody rounded


def check_images(images: Tensor, labels: Labels, info: DataInfo, dataset: str) -> None:
    """Refuse images that are not floats, do not fit the data set or their labels, or are not finite as float32."""
    if images.dtype == torch.uint8:
        raise BadInput("images are 8-bit whole numbers, so they are pixels: say that their space is pixels.")
    if not images.is_floating_point():
        raise BadInput(f"images are {images.dtype}, not floats: divide whole numbers by 255 first.")
    expected, count = (info.channels, info.size, info.size), len(labels.values)
    if images.ndim != 4 or tuple(images.shape[1:]) != expected:
        raise BadInput(
            f"images {tuple(images.shape)} and labels {tuple(labels.values.shape)} do not fit {dataset}: "
            f"an image there is {expected}."
        )
    if len(images) != count:
        raise BadInput(f"there are {len(images)} images and {count} labels: one label per image is needed.")
    if len(images) == 0:
        raise BadInput("there are no images to train on.")
    if not bool(torch.isfinite(images.float()).all()):
        raise BadInput("the images have NaN or infinite values.")


def check_labels(labels: Labels, info: DataInfo, dataset: str) -> None:
    """Refuse labels that name classes which the data set does not have, and soft ones that are not finite."""
    if labels.values_are_classes:
        if labels.values.ndim != 1 or labels.values.is_floating_point():
            raise BadInput(f"labels {tuple(labels.values.shape)} are {labels.values.dtype}, not one class per image.")
        low, high = int(labels.values.min()), int(labels.values.max())
        if low < 0 or high >= info.num_classes:
            raise BadInput(f"labels reach from {low} to {high}: {dataset} has 0 to {info.num_classes - 1}.")
    if isinstance(labels, Taught) and not labels.teachers:
        raise BadInput("the labels are to come from teachers, but the card names none.")
    soft = labels.soft
    if soft is None:
        return
    if soft.ndim < 2 or soft.shape[-1] != info.num_classes:
        raise BadInput(f"soft labels speak of {soft.shape[-1]} classes: {dataset} has {info.num_classes}.")
    if not bool(torch.isfinite(soft).all()):
        raise BadInput("the labels have NaN or infinite values.")
    if isinstance(labels, PerEpoch):
        _check_recording(labels)
    if isinstance(labels, Stored) and labels.kind == "probs":
        _check_shares(soft)


def _check_shares(soft: Tensor) -> None:
    """Refuse probabilities that are negative, or that do not add up to one."""
    if bool((soft < 0).any()):
        row = int((soft < 0).any(1).nonzero()[0])
        raise BadInput(
            f"the label of image {row} has the probability {float(soft[row].min()):.3g}: none may be below 0."
        )
    sums = soft.sum(1)
    wrong = ((sums - 1).abs() > SUM_ERROR).nonzero()
    if len(wrong):
        row = int(wrong[0])
        raise BadInput(
            f"the label of image {row} adds up to {float(sums[row]):.3g}: probabilities must add up to 1, so divide "
            "each row by its sum, or give logits."
        )


def _check_recording(labels: PerEpoch) -> None:
    """Refuse a recording that is of other images, or whose numbers lead out of them or out of their batches."""
    count, batch = len(labels.values), labels.batch
    if not 0 < batch <= count or labels.order.ndim != 2:
        raise BadInput(f"labels are recorded in batches of {batch}, and there are {count} images.")
    shapes = [
        tuple(part.shape[:2]) for part in (labels.order, labels.coords, labels.flip, labels.mix_index, labels.logits)
    ]
    batches = [tuple(part.shape[:2]) for part in (labels.mix_lambda, labels.mix_box)]
    epochs = len(labels.order)
    if set(shapes) != {(epochs, count)} or set(batches) != {(epochs, -(-count // batch))}:
        raise BadInput(f"the recorded labels are not those of {count} images in {epochs} epochs.")
    sizes = torch.tensor([min(batch, count - start) for start in range(0, count, batch)]).repeat_interleave(batch)[
        :count
    ]
    numbers = torch.arange(count).expand(epochs, -1)
    if not torch.equal(labels.order.long().sort(1).values, numbers):
        raise BadInput("the recorded order does not name every image once in every epoch.")
    if not bool(((labels.mix_index >= 0) & (labels.mix_index < sizes)).all()):
        raise BadInput("the recorded mixes lead out of their batches.")


def check_pixels(images: Tensor) -> None:
    """Refuse images that are said to be pixels and leave [0, 1]."""
    low, high = float(images.min()), float(images.max())
    reach = f"images reach from {low:.3g} to {high:.3g}"
    if looks_like_bytes(low, high):
        raise BadInput(f"{reach}: divide by 255 first, so that pixels are in [0, 1].")
    if low >= 0 and high > 1:
        raise BadInput(f"{reach}: scale or clamp them first, so that pixels are in [0, 1].")
    if not (low >= 0 and high <= 1):
        raise BadInput(f"{reach}, so they are not pixels: say space='normalised'?")


def looks_like_bytes(low: float, high: float) -> bool:
    """Say whether floats of this range are pixels from 0 to 255: learned images never reach so far from zero."""
    return low >= 0 and high > FAR
