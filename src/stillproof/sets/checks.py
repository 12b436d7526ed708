"""Checks of tensors that came from outside, before they become a distilled set."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo, Labels


def check_images(images: Tensor, labels: Labels, info: DataInfo, dataset: str) -> None:
    """Refuse images that are not floats, do not fit the data set or their labels, or are not finite."""
    if not images.is_floating_point():
        raise BadInput(f"images are {images.dtype}, not floats: divide whole numbers by 255 first.")
    expected, count = (info.channels, info.size, info.size), len(labels.values)
    if images.ndim != 4 or tuple(images.shape[1:]) != expected or len(images) != count:
        raise BadInput(
            f"images {tuple(images.shape)} and labels {tuple(labels.values.shape)} do not fit {dataset}: "
            f"an image there is {expected}."
        )
    if len(images) == 0:
        raise BadInput("there are no images to train on.")
    if not bool(torch.isfinite(images).all()):
        raise BadInput("the images have NaN or infinite values.")


def check_labels(labels: Labels, info: DataInfo, dataset: str) -> None:
    """Refuse labels that name classes which the data set does not have, and soft ones that are not finite."""
    if labels.values_are_classes:
        low, high = int(labels.values.min()), int(labels.values.max())
        if low < 0 or high >= info.num_classes:
            raise BadInput(f"labels reach from {low} to {high}: {dataset} has 0 to {info.num_classes - 1}.")
    soft = labels.soft
    if soft is None:
        return
    if soft.shape[-1] != info.num_classes:
        raise BadInput(f"soft labels speak of {soft.shape[-1]} classes: {dataset} has {info.num_classes}.")
    if not bool(torch.isfinite(soft).all()):
        raise BadInput("the labels have NaN or infinite values.")


def check_pixels(images: Tensor) -> None:
    """Refuse images that are said to be pixels and leave [0, 1]."""
    low, high = float(images.min()), float(images.max())
    if not (low >= 0 and high <= 1):
        raise BadInput(f"images reach from {low:.2f} to {high:.2f}, so they are not pixels: say space='normalised'?")
