"""Reads a stranger's numpy files without unpickling."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.stand_ins import shown
from stillproof.importers.plain_set import pair_of

MOST_PACKED = 100  # times its own size that a file may unpack to: images never shrink as much
SLACK = 2**24  # bytes that do no harm, however well they were packed


def load_npy(path: Path) -> Tensor:
    """Return the array of a ``.npy`` file."""
    try:
        # Mapped first: a header that declares more than the file holds then fails before memory is taken.
        return _tensor(np.array(np.load(path, mmap_mode="r", allow_pickle=False)), path)
    except BadInput:
        raise
    except Exception as error:  # a broken file can raise anything
        raise BadInput(f"{path} is cut short, damaged or no array of numbers: get it again.") from error


def npz_names(path: Path) -> dict[str, str]:
    """Return the names of the arrays in a ``.npz`` file, by their lower-case form."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except Exception as error:  # a broken file can raise anything
        raise BadInput(f"{path} is cut short or damaged: get it again.") from error
    size, unpacked = path.stat().st_size, sum(entry.file_size for entry in entries)
    if unpacked > MOST_PACKED * size + SLACK:
        raise BadInput(f"{path} is refused: its {size} bytes claim to unpack to {unpacked}.")
    names = [entry.filename.removesuffix(".npy") for entry in entries]
    return {name.lower(): name for name in names}


def load_npz(path: Path) -> tuple[Tensor, Tensor]:
    """Return images and labels, whichever of the usual names they have."""
    names = npz_names(path)
    pair = pair_of(names)
    if pair is None:
        held = shown(", ".join(names.values())) or "nothing"
        raise BadInput(f"{path} holds {held}, but images and labels are needed.")
    try:
        with np.load(path, allow_pickle=False) as archive:
            images, labels = (_tensor(archive[names[name]], path) for name in pair)
        return images, labels
    except BadInput:
        raise
    except Exception as error:  # a broken file can raise anything
        raise BadInput(f"{path} is cut short, damaged or holds more than numbers: get it again.") from error


def _tensor(array: NDArray[Any], path: Path) -> Tensor:
    if array.dtype.kind not in "biuf":
        raise BadInput(f"{path} holds {array.dtype}, not numbers.")
    # torch has no whole numbers without a sign beyond a byte, and no foreign byte order.
    wide = np.int64 if array.dtype.kind in "iu" and array.dtype != np.uint8 else array.dtype.newbyteorder("=")
    return torch.from_numpy(np.ascontiguousarray(array.astype(wide)))
