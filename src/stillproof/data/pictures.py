"""Reads picture files of any size as squares of one size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stillproof.core.errors import BadInput

SUFFIXES = frozenset({".png", ".jpg", ".jpeg"})


def read_picture(path: Path, size: int, channels: int) -> NDArray[np.uint8]:
    """Return a picture as (size, size, channels): the shorter side is resized to ``size``, the centre is cut out."""
    try:
        with Image.open(path) as picture:
            if picture.mode.startswith(("I", "F")):
                raise BadInput(f"{path} has more than 8 bits per channel: convert it to 8 bits first.")
            square = _square(picture.convert("L" if channels == 1 else "RGB"), size)
            return np.asarray(square, np.uint8).reshape(size, size, channels)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise BadInput(f"{path} cannot be read as a picture: {error}.") from error


def read_pictures(paths: Sequence[Path], size: int, channels: int) -> NDArray[np.uint8]:
    """Return pictures as (N, size, size, channels)."""
    images = np.empty((len(paths), size, size, channels), np.uint8)
    for i, path in enumerate(paths):
        images[i] = read_picture(path, size, channels)
    return images


def class_folders(folder: Path) -> list[str]:
    """Return the sorted names of the class folders in ``folder``."""
    return sorted(item.name for item in folder.iterdir() if item.is_dir() and not item.name.startswith("."))


def pictures_in(folder: Path) -> list[Path]:
    """Return the sorted picture files of ``folder``."""
    names = (item for item in folder.iterdir() if item.suffix.lower() in SUFFIXES and not item.name.startswith("."))
    return sorted(names)


def _square(picture: Image.Image, size: int) -> Image.Image:
    width, height = picture.size
    scale = size / min(width, height)
    if scale != 1:
        # the longer side is cut down to whole pixels; the shorter is exactly `size`
        width, height = max(size, int(width * scale)), max(size, int(height * scale))
        picture = picture.resize((width, height), Image.Resampling.BILINEAR)
    left, top = (width - size) // 2, (height - size) // 2
    return picture.crop((left, top, left + size, top + size))
