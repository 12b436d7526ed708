"""Reads a stranger's ``.pt`` file: tensors, plain values and numpy numbers, and nothing that could run."""

from __future__ import annotations

import functools
import io
import re
import zipfile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.plain_reason import plain_reason
from stillproof.core.stand_ins import SLACK, Unwrapped, shown
from stillproof.data.pickled_numpy import ARRAYS, NUMBERS

ALLOWED = {**ARRAYS, **NUMBERS}
ASKED = re.compile(r"GLOBAL (\S+)|[Uu]nsupported class (\S+)")


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
    with path.open("rb") as file:
        return _load(file, size, str(path))


def load_bytes(content: bytes, name: str) -> Any:
    """Return what the bytes of ``torch.save`` hold; ``name`` is what messages call them."""
    return _load(io.BytesIO(content), len(content), name)


def _load(file: BinaryIO, size: int, name: str) -> Any:
    _refuse_bomb(file, size, name)
    file.seek(0)
    try:
        with torch.serialization.safe_globals([(stand_in, name) for name, stand_in in ALLOWED.items()]):
            value = torch.load(file, map_location="cpu", weights_only=True)
        return Unwrapped(size, held).plain(value)
    except BadInput as error:
        raise BadInput(f"{name} {error}") from None
    except Exception as error:  # a broken file can raise anything
        raise BadInput(f"{name} {_reason(str(error))}") from error


def _refuse_bomb(file: BinaryIO, size: int, name: str) -> None:
    """Refuse archives that unpack to more than they are: ``torch.save`` never compresses."""
    try:
        if not zipfile.is_zipfile(file):
            return
        with zipfile.ZipFile(file) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except Exception as error:  # a broken file can raise anything
        raise BadInput(f"{name} is cut short or damaged: get it again.") from error
    if unpacked > size:
        raise BadInput(f"{name} is refused: its {size} bytes claim to unpack to {unpacked}.")


def _reason(message: str) -> str:
    asked = ASKED.search(message)
    if asked:
        wanted = shown((asked[1] or asked[2]).rstrip(".,"))
        return f"is refused: it asks for {wanted}, and only tensors and plain values are read."
    return "is cut short, damaged or no file of torch.save: get it again."


def held(value: Any, size: int) -> Any:
    """Refuse a tensor that is larger than its file of ``size`` bytes: a few bytes can declare any shape."""
    if not isinstance(value, Tensor):
        return value
    claimed = value.numel() * value.element_size()
    if value.layout != torch.strided or value.device.type != "cpu" or claimed > size + SLACK:
        raise BadInput(f"is refused: it declares a tensor {tuple(value.shape)} that its {size} bytes do not hold.")
    return value.detach()
