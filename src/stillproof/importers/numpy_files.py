"""Reads a stranger's numpy files as tensors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.stand_ins import shown
from stillproof.data.numpy_files import npz_names as arrays_in
from stillproof.data.numpy_files import read_npy, read_npz
from stillproof.importers.plain_set import pair_of


def load_npy(path: Path) -> Tensor:
    """Return the array of a ``.npy`` file."""
    return as_tensor(read_npy(path))


def npz_names(path: Path) -> dict[str, str]:
    """Return the names of the arrays in a ``.npz`` file, by their lower-case form."""
    return {name.lower(): name for name in arrays_in(path)}


def load_npz(path: Path) -> tuple[Tensor, Tensor]:
    """Return images and labels, whichever of the usual names they have."""
    names = npz_names(path)
    pair = pair_of(names)
    if pair is None:
        held = shown(", ".join(names.values())) or "nothing"
        raise BadInput(f"{path} holds {held}, but images and labels are needed.")
    images, labels = read_npz(path, *(names[name] for name in pair))
    return as_tensor(images), as_tensor(labels)


def as_tensor(array: NDArray[Any]) -> Tensor:
    """Return an array of numbers of any usual type."""
    # torch has no whole numbers without a sign beyond a byte, and no foreign byte order.
    wide = np.int64 if array.dtype.kind in "iu" and array.dtype != np.uint8 else array.dtype.newbyteorder("=")
    return torch.from_numpy(np.ascontiguousarray(array.astype(wide, copy=False)))
