"""A dictionary of anybody with images and labels, as ``torch.save`` or ``pickle.dump`` writes it."""

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
from stillproof.importers.foreign_set import ForeignSet, is_file
from stillproof.importers.idm_pickle import is_plain_pickle
from stillproof.importers.pair_names import pair_of
from stillproof.importers.pickled_tensors import load_pickled_tensors
from stillproof.importers.plain_set import plain_set
from stillproof.importers.torch_file import load_torch


class DictionaryFile:
    """``{"images": ..., "labels": ...}``, under any of the usual names."""

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
