"""A user's own tensors, as they come out of a program."""

from __future__ import annotations

from typing import Literal, get_args

import torch
from torch import Tensor

from stillproof.core.errors import UnknownName
from stillproof.core.types import DataInfo
from stillproof.importers.foreign_set import ForeignSet
from stillproof.importers.read_images import channels_first
from stillproof.importers.read_labels import read_labels

TENSORS = "tensors"  # what this form is called
TensorSpace = Literal["pixels", "normalised"]


def tensor_set(images: Tensor, labels: Tensor, space: TensorSpace, info: DataInfo) -> ForeignSet:
    """Return the set; tensors may still be learned, on any device, or be arrays."""
    if space not in get_args(TensorSpace):
        raise UnknownName("space", space, get_args(TensorSpace))
    images, labels = (torch.as_tensor(given).detach().cpu() for given in (images, labels))
    images, about_shape = channels_first(images, info)
    read, about_labels = read_labels(labels, "this set")
    return ForeignSet(images, read, space, found=(*about_shape, about_labels))
