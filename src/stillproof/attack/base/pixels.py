"""Refuses what is no picture and no label before it is attacked."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.core.errors import BadInput


def read_pixels(images: Tensor, device: str) -> Tensor:
    """Return images as float32 on the device; bytes become [0, 1]."""
    images = images.to(device)
    return images.float() if images.is_floating_point() else images.float().div_(255)


def check_pixels(pixels: Tensor, labels: Tensor, indices: Tensor, *, in_range: bool = True) -> None:
    """Refuse images that are not (N, C, H, W) in [0, 1] with a label each."""
    if pixels.ndim != 4 or not pixels.numel():
        raise BadInput(f"images of shape {tuple(pixels.shape)} cannot be attacked: give some, as (N, C, H, W).")
    if labels.shape != (len(pixels),) or labels.is_floating_point():
        raise BadInput(
            f"labels of shape {tuple(labels.shape)} and type {labels.dtype} do not fit {len(pixels)} images: "
            "give one whole number each."
        )
    wrong = ~torch.isfinite(pixels)
    if in_range:
        wrong |= (pixels < 0) | (pixels > 1)
    at = wrong.flatten(1).any(1)
    if at.any():
        first = int(at.nonzero()[0])
        value = pixels[first][wrong[first]][0].item()
        raise BadInput(
            f"image {int(indices[first])} has a pixel of {value:.9g}: attacks take pixels in [0, 1], "
            "and normalising them is the model's work."
        )


def check_labels(labels: Tensor, classes: int, indices: Tensor) -> None:
    """Refuse labels that are no class of the model."""
    wrong = (labels < 0) | (labels >= classes)
    if wrong.any():
        at = int(wrong.nonzero()[0])
        raise BadInput(
            f"image {int(indices[at])} has label {int(labels[at])}, which is not a class of a model with {classes}: "
            "give labels from 0 on, and a model for this data set."
        )
