"""Images and labels in one plain file: arrays of ``.npz``, a dictionary, or a pair of tensors."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.stand_ins import shown
from stillproof.core.types import DataInfo
from stillproof.importers.foreign_set import ForeignSet, check_count, is_file
from stillproof.importers.idm_pickle import is_plain_pickle
from stillproof.importers.numpy_files import load_npz, npz_names
from stillproof.importers.pickled_tensors import load_pickled_tensors
from stillproof.importers.plain_set import pair_of, plain_set
from stillproof.importers.torch_file import load_torch

PAIR = "a pair of images and labels"


class NpzFile:
    """One array of images and one of labels; a further axis in front counts experiments."""

    name = "npz"

    def recognises(self, path: Path) -> str:
        """Look at the names of the arrays."""
        if not is_file(path, ".npz"):
            return ""
        names = npz_names(path)
        found = pair_of(names)
        return f"arrays {' and '.join(names[name] for name in found)}" if found else ""

    def read(self, path: Path, info: DataInfo) -> list[ForeignSet]:
        """Read every experiment."""
        images, values = load_npz(path)
        if images.ndim != 5:
            return [plain_set(images, values, path, info)]
        if values.ndim < 2 or len(values) != len(images):
            shapes = f"images {tuple(images.shape)} and labels {tuple(values.shape)}"
            raise BadInput(f"{path}: {shapes} do not have the same number of experiments in front.")
        check_count(path, len(images))
        return [plain_set(part, its_values, path, info) for part, its_values in zip(images, values, strict=True)]


class DictionaryFile:
    """``{"images": ..., "labels": ...}``, under any of the usual names, by ``torch.save`` or ``pickle.dump``."""

    name = "dictionary"

    def recognises(self, path: Path) -> str:
        """Look at the names of the entries, and for numbers behind them."""
        pair = pair_of(_numbers_in(_content(path)))
        return f"a dictionary with {pair[0]} and {pair[1]}" if pair else ""

    def read(self, path: Path, info: DataInfo) -> list[ForeignSet]:
        """Read the two entries; what else is there is named, and not used."""
        content = _content(path)
        numbers = _numbers_in(content)
        pair = pair_of(numbers)
        if pair is None:
            raise BadInput(f"{path} is not a dictionary with images and labels.")
        found = plain_set(numbers[pair[0]], numbers[pair[1]], path, info)
        others = [shown(key) for key in content if str(key).lower() not in pair]
        unused = [f"the dictionary also holds {', '.join(others)}, which is not used"] if others else []
        return [dataclasses.replace(found, found=(*found.found, *unused))]


class PlainPair:
    """``torch.save((images, labels))``, whoever wrote it."""

    name = "pair"

    def recognises(self, path: Path) -> str:
        """Look for two tensors."""
        return PAIR if is_pair(path) else ""

    def read(self, path: Path, info: DataInfo) -> list[ForeignSet]:
        """Read the pair; one image is in each, unless its method packs them."""
        found = plain_set(*read_pair(path), path, info)
        each = ["one image in each (--format idc says otherwise)"] if found.decode == "none" else []
        return [dataclasses.replace(found, found=(*each, *found.found))]


def is_pair(path: Path) -> bool:
    """Say whether a file of ``torch.save`` holds a pair of images and labels."""
    return is_file(path, ".pt", ".pth") and _pair(load_torch(path)) is not None


def read_pair(path: Path) -> tuple[Tensor, Tensor]:
    """Return images and labels."""
    pair = _pair(load_torch(path))
    if pair is None:
        raise BadInput(f"{path} is not {PAIR}.")
    return pair


def _pair(content: Any) -> tuple[Tensor, Tensor] | None:
    if not (isinstance(content, list) and len(content) == 2 and all(isinstance(part, Tensor) for part in content)):
        return None
    images, labels = content
    # Grey images may have no axis of channels; then the labels, as many, tell a pair from two other tensors.
    grey = images.ndim == 3 and labels.ndim >= 1 and len(images) == len(labels)
    return (images, labels) if (images.ndim == 4 or grey) and labels.ndim in (1, 2) else None


def _content(path: Path) -> dict[Any, Any]:
    """Return the dictionary that a file holds; an empty one if it holds something else."""
    if is_file(path, ".pt", ".pth"):
        found = load_torch(path)
    else:
        found = load_pickled_tensors(path) if is_plain_pickle(path) else None
    return found if isinstance(found, dict) else {}


def _numbers_in(content: dict[Any, Any]) -> dict[str, Tensor]:
    """Return the entries that are numbers, by their names in small letters."""
    found = {str(key).lower(): _tensor(value) for key, value in content.items()}
    return {name: value for name, value in found.items() if value is not None}


def _tensor(value: Any) -> Tensor | None:
    if isinstance(value, list) and value and all(isinstance(one, int | float) for one in value):
        return torch.tensor(value)  # labels are often a plain list
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value)
    return value if isinstance(value, Tensor) else None
