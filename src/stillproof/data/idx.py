"""Reads the idx files of MNIST and Fashion-MNIST, plain or gzipped."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stillproof.core.errors import BadInput
from stillproof.core.file_limits import memory_limit
from stillproof.core.plain_reason import plain_reason
from stillproof.core.regular_file import read_regular, unpack_gzip
from stillproof.data.arrays import Arrays, Part

UINT8 = 0x08  # the third byte of the magic number: type of the values; the fourth is the number of axes
PREFIX: dict[Part, str] = {"train": "train", "test": "t10k"}


def read_idx_pair(folders: Iterable[Path], split: Part) -> Arrays | None:
    """Read images and labels from the first folder that holds both, or return None."""
    for folder in folders:
        images = _existing(folder / f"{PREFIX[split]}-images-idx3-ubyte")
        labels = _existing(folder / f"{PREFIX[split]}-labels-idx1-ubyte")
        if images and labels:
            return Arrays(read_idx(images, 3)[..., np.newaxis], read_idx(labels, 1), images)
    return None


def read_idx(path: Path, axes: int) -> NDArray[np.uint8]:
    """Read an idx file of unsigned bytes with ``axes`` axes."""
    try:
        content = read_regular(path)
        content = unpack_gzip(content, memory_limit(len(content))) if path.suffix == ".gz" else content
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(f"{path} cannot be read: {plain_reason(error)}.") from error
    start = 4 + 4 * axes
    if len(content) < start or content[:4] != bytes((0, 0, UINT8, axes)):
        raise BadInput(f"{path} is not an idx file of unsigned bytes with {axes} axes.")
    shape = struct.unpack(f">{axes}I", content[4:start])
    if len(content) - start != np.prod(shape, dtype=object):
        raise BadInput(f"{path} is cut short or damaged: {len(content) - start} values for the shape {shape}.")
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)


def _existing(path: Path) -> Path | None:
    for candidate in (path, path.with_name(path.name + ".gz")):
        if candidate.is_file():
            return candidate
    return None
