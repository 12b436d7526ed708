"""Two files of any names, one of images and one of labels."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo
from stillproof.importers.foreign_set import ForeignSet, is_file
from stillproof.importers.numpy_files import load_npy
from stillproof.importers.plain_set import plain_set
from stillproof.importers.torch_file import load_tensor

TWO_FILES = "two-files"  # what this form is called; naming both files asks for it
ENDINGS = (".npy", ".pt", ".pth")


def read_two_files(images: Path, labels: Path, info: DataInfo) -> ForeignSet:
    """Read both."""
    found = plain_set(_tensor(images), _tensor(labels), images, info, (images, labels))
    return dataclasses.replace(found, found=(f"{images.name} with {labels.name}", *found.found))


def _tensor(path: Path) -> Tensor:
    if not path.is_file():
        raise BadInput(f"{path} is not there, or no file.")
    if not is_file(path, *ENDINGS):
        raise BadInput(f"{path} cannot be one of two files: arrays in .npy and tensors in .pt or .pth are read.")
    return load_npy(path) if is_file(path, ".npy") else load_tensor(path)
