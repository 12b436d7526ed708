"""Images in one file that is mapped into memory, for data sets that do not fit there: built once, and gone on with."""

from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stillproof.core.errors import Corrupt, StoreError
from stillproof.core.plain_reason import plain_reason

if TYPE_CHECKING:
    from torch import Tensor

BATCH = 256  # images between two writes

Images = NDArray[np.uint8]  # (N, C, H, W)


def mapped_images(file: Path, shape: tuple[int, ...], make: Callable[[slice], Images], what: str) -> Images:
    """Return a memory map of images, which is built if it is not there.

    A build that is stopped leaves a .partial file, whose whole images are kept by the next one; two builds at once
    write the same bytes to the same places.

    Args:
        file: The file.
        shape: The shape of all images, (N, C, H, W).
        make: Makes some of them.
        what: What people call them.
    """
    if not file.exists():
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            _build(file, shape, make)
        except OSError as error:
            size = f"{np.prod(shape):,} bytes"
            raise StoreError(f"the {size} of {what} in {file} cannot be written: {plain_reason(error)}.") from error
    if file.stat().st_size != np.prod(shape):
        raise Corrupt(f"{file} holds {file.stat().st_size} bytes instead of {np.prod(shape)}: delete it and try again.")
    return _mapped(file, shape)


def as_tensor(images: Images) -> Tensor:
    """Return images as a tensor, those that are mapped read-only too, which nobody may write to."""
    import torch

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The given NumPy array is not writable")
        return torch.from_numpy(images)


def remembered(file: Path, compute: Callable[[], str]) -> str:
    """Return the text kept beside ``file``, computing it the first time: hashing a large file takes minutes."""
    note = file.with_suffix(".id")
    try:
        if not note.exists():
            partial = note.with_suffix(f".{os.getpid()}.partial")
            partial.write_text(compute(), encoding="ascii")
            partial.replace(note)
        return note.read_text(encoding="ascii")
    except OSError as error:
        raise StoreError(f"{note} cannot be written or read: {plain_reason(error)}.") from error


def _build(file: Path, shape: tuple[int, ...], make: Callable[[slice], Images]) -> None:
    record = int(np.prod(shape[1:]))
    partial = file.with_suffix(".partial")
    partial.touch()
    with partial.open("r+b") as out:
        done = partial.stat().st_size // record
        out.seek(done * record)
        for start in range(done, shape[0], BATCH):
            out.write(make(slice(start, start + BATCH)).tobytes())
            out.flush()
        os.fsync(out.fileno())
    if file.exists():  # another process was faster
        partial.unlink(missing_ok=True)
    else:
        partial.replace(file)


def _mapped(file: Path, shape: tuple[int, ...]) -> Images:
    """Map a file copy on write: torch wants writable memory, and the file must not change."""
    try:
        return np.memmap(file, np.uint8, mode="c", shape=shape)
    except OSError as error:
        if error.errno != errno.ENOMEM:
            raise
    # Linux promises no copy of what is larger than all its memory; what cannot be written needs no promise.
    return np.memmap(file, np.uint8, mode="r", shape=shape)
