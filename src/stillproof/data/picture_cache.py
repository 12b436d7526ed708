"""Keeps decoded pictures in one file that is mapped into memory, for data sets that do not fit there."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stillproof.core.errors import BadInput, Corrupt, StoreError
from stillproof.data.pictures import read_picture

BATCH = 256  # pictures between two writes


def cached_pictures(paths: Sequence[Path], size: int, folder: Path, stem: str) -> tuple[NDArray[np.uint8], Path]:
    """Return pictures as a memory map of shape (N, 3, size, size), and the file behind it.

    The file is built once. A build that is stopped leaves a .partial file, whose whole pictures are kept by the next
    one; two builds at once write the same bytes to the same places. The name changes with the list of pictures, and
    with the size and time of each, so that pictures that were replaced are decoded again.
    """
    signs = "\n".join(_sign(path) for path in paths)
    key = hashlib.sha256(signs.encode(errors="surrogateescape")).hexdigest()[:16]
    file = folder / f"{stem}-{size}-{key}.u8"
    if not file.exists():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _build(paths, size, file)
        except OSError as error:
            raise StoreError(f"the cache {file} of decoded pictures cannot be written: {error}.") from error
    shape = (len(paths), 3, size, size)
    if file.stat().st_size != np.prod(shape):
        raise Corrupt(f"{file} holds {file.stat().st_size} bytes instead of {np.prod(shape)}: delete it and try again.")
    # Copy on write: torch wants writable memory, and the file must not change.
    return np.memmap(file, np.uint8, mode="c", shape=shape), file


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
        raise StoreError(f"{note} cannot be written or read: {error}.") from error


def _sign(path: Path) -> str:
    try:
        found = path.stat()
    except OSError as error:
        raise BadInput(f"{path} cannot be read as a picture: {error}.") from error
    return f"{path.parent.name}/{path.name}/{found.st_size}/{found.st_mtime_ns}"


def _build(paths: Sequence[Path], size: int, file: Path) -> None:
    record = 3 * size * size
    partial = file.with_suffix(".partial")
    partial.touch()
    with partial.open("r+b") as out:
        done = partial.stat().st_size // record
        out.seek(done * record)
        for start in range(done, len(paths), BATCH):
            batch = [read_picture(path, size, 3).transpose(2, 0, 1).tobytes() for path in paths[start : start + BATCH]]
            out.write(b"".join(batch))
            out.flush()
        os.fsync(out.fileno())
    if file.exists():  # another process was faster
        partial.unlink(missing_ok=True)
    else:
        partial.replace(file)
