"""Reads a stranger's ``.pt`` file: tensors, plain values and numpy numbers, and nothing that could run."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.plain_reason import plain_reason
from stillproof.core.regular_file import open_regular
from stillproof.core.stand_ins import Unwrapped
from stillproof.importers.tensor_stand_ins import held
from stillproof.importers.torch_archive import MAGIC, read_archive
from stillproof.importers.torch_legacy import read_legacy


def load_torch(path: Path) -> Any:
    """Return what a file of ``torch.save`` holds, on the CPU; the last one is kept, since several importers look.

    Raises:
        BadInput: The file is broken, declares more than it holds, or asks for more than tensors and numbers.
    """
    try:
        facts = path.stat()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {plain_reason(error)}.") from error
    return _load_once(path, facts.st_mtime_ns, facts.st_size)


def load_tensor(path: Path) -> Tensor:
    """Return the tensor that a file holds."""
    found = load_torch(path)
    if isinstance(found, np.ndarray):
        return torch.from_numpy(found)
    if isinstance(found, int | float):
        return torch.tensor(found)
    if not isinstance(found, Tensor):
        raise BadInput(f"{path} holds a {type(found).__name__} where a tensor is expected.")
    return found


@functools.lru_cache(maxsize=1)
def _load_once(path: Path, changed: int, size: int) -> Any:
    if size == 0:
        raise BadInput(f"{path} is empty.")
    try:
        with open_regular(path) as file:
            zipped = file.read(len(MAGIC)) == MAGIC
            file.seek(0)
            built = read_archive(file, size) if zipped else read_legacy(file.read())
            return Unwrapped(size, held).plain(built)
    except BadInput as error:
        raise BadInput(f"{path} {error}") from None
    except Exception as error:  # a broken file can raise anything
        raise BadInput(f"{path} is cut short, damaged or no file of torch.save: get it again.") from error
