"""Decodes synthetic images that hold several smaller ones: IDM, BACON and IDC store four in one."""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.core.errors import BadInput
from stillproof.core.types import Hard, Labels, PerEpoch, Stored, Taught


def decode_images(images: Tensor, decode: str) -> Tensor:
    """Return the images to train on: each quadrant (top left, bottom left, top right, bottom right) at full size.

    (N, C, H, W) becomes (4 N, C, H, W), the four quadrants of all images one after the other.
    """
    if decode == "none":
        return images
    height, width = images.shape[2] // 2, images.shape[3] // 2
    quadrants = [images[:, :, r : r + height, c : c + width] for c in (0, width) for r in (0, height)]
    return F.interpolate(torch.cat(quadrants), size=images.shape[2:], mode="bilinear", align_corners=False)


def decode_labels(labels: Labels, decode: str) -> Labels:
    """Return the labels of the decoded images."""
    if decode == "none":
        return labels
    if isinstance(labels, Hard | Taught):
        return dataclasses.replace(labels, values=labels.values.repeat(4))
    if isinstance(labels, PerEpoch):
        raise BadInput("labels for every epoch belong to whole images, but each image of this set holds four.")
    return Stored(labels.kind, labels.values.repeat(4, 1))
