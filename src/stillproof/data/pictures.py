"""Reads picture files of any size as squares of one size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stillproof.core.errors import BadInput
from stillproof.core.open_picture import check_pixel_count, open_picture

SUFFIXES = frozenset({".png", ".jpg", ".jpeg"})


def read_picture(path: Path, size: int, channels: int) -> NDArray[np.uint8]:
    """Return a picture as (size, size, channels): the shorter side is resized to ``size``, the centre is cut out."""
    with open_picture(path) as picture:
        if picture.mode.startswith(("I", "F")):
            raise BadInput(f"{path} has more than 8 bits per channel: convert it to 8 bits first.")
        width, height = _resized(picture.size, size)
        check_pixel_count(path, width, height)  # a thin line of a picture grows with its shorter side
        square = _square(picture.convert("L" if channels == 1 else "RGB"), (width, height), size)
        return np.asarray(square, np.uint8).reshape(size, size, channels)


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


def _resized(found: tuple[int, int], size: int) -> tuple[int, int]:
    """Return width and height whose shorter one is exactly ``size``; the longer one is cut down to whole pixels."""
    scale = size / min(found)
    return (max(size, int(found[0] * scale)), max(size, int(found[1] * scale))) if scale != 1 else found


def _square(picture: Image.Image, resized: tuple[int, int], size: int) -> Image.Image:
    if picture.size != resized:
        picture = picture.resize(resized, Image.Resampling.BILINEAR)
    left, top = (resized[0] - size) // 2, (resized[1] - size) // 2
    return picture.crop((left, top, left + size, top + size))
