"""Keeps decoded pictures in one file, for data sets that do not fit into memory."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from stillproof.core.errors import BadInput
from stillproof.core.plain_reason import plain_reason
from stillproof.data.mapped_cache import Images, mapped_images
from stillproof.data.pictures import read_picture


def cached_pictures(paths: Sequence[Path], size: int, folder: Path, stem: str) -> tuple[Images, Path]:
    """Return pictures as a memory map of shape (N, 3, size, size), and the file behind it.

    Its name changes with the list of pictures, and with the size and time of each, so that pictures that were replaced
    are decoded again.
    """
    signs = "\n".join(_sign(path) for path in paths)
    key = hashlib.sha256(signs.encode(errors="surrogateescape")).hexdigest()[:16]
    file = folder / f"{stem}-{size}-{key}.u8"

    def make(part: slice) -> Images:
        return np.stack([read_picture(path, size, 3).transpose(2, 0, 1) for path in paths[part]])

    return mapped_images(file, (len(paths), 3, size, size), make, "decoded pictures"), file


def _sign(path: Path) -> str:
    try:
        found = path.stat()
    except OSError as error:
        raise BadInput(f"{path} cannot be read as a picture: {plain_reason(error)}.") from error
    return f"{path.parent.name}/{path.name}/{found.st_size}/{found.st_mtime_ns}"
