"""Reads picture files of any size as squares of one size."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stillproof.core.errors import BadInput
from stillproof.core.open_picture import BrokenPicture, check_pixel_count, open_picture

SUFFIXES = frozenset({".png", ".jpg", ".jpeg"})
MOST_NAMED = 10  # of broken pictures


def read_picture(path: Path, size: int, channels: int) -> NDArray[np.uint8]:
    """Return a picture as (size, size, channels): the shorter side is resized to ``size``, the centre is cut out."""
    with open_picture(path) as picture:
        if picture.mode.startswith(("I", "F")):
            raise BrokenPicture(path, "it has more than 8 bits per channel, so convert it to 8 bits first")
        width, height = _resized(picture.size, size)
        check_pixel_count(path, width, height)  # a thin line of a picture grows with its shorter side
        square = _square(picture.convert("L" if channels == 1 else "RGB"), (width, height), size)
        return np.asarray(square, np.uint8).reshape(size, size, channels)


@dataclass(frozen=True)
class ReadPictures:
    """The pictures that could be read, (N, size, size, channels), and where in the list they are; the broken ones."""

    images: NDArray[np.uint8]
    positions: NDArray[np.int64]
    broken: Mapping[Path, BrokenPicture]

    def about_broken(self) -> str:
        """Say which ones are broken and why, by reason; some of many."""
        files = list(self.broken)
        base = Path(os.path.commonpath([file.parent for file in files]))
        base = base.parent if len({file.parent for file in files}) == 1 else base  # the class is worth saying
        reasons: dict[str, list[str]] = {}
        for file in files[:MOST_NAMED]:
            reasons.setdefault(self.broken[file].reason, []).append(str(file.relative_to(base)))
        said = "; ".join(f"{', '.join(names)} ({reason})" for reason, names in reasons.items())
        more = f" and {len(files) - MOST_NAMED} more" if len(files) > MOST_NAMED else ""
        total = len(files) + len(self.positions)
        return f"{len(files)} of {total} pictures in {base} cannot be read: {said}{more}"


def readable_pictures(paths: Sequence[Path], size: int, channels: int) -> ReadPictures:
    """Read all pictures that are not broken, and remember the others."""
    images = np.empty((len(paths), size, size, channels), np.uint8)
    sound: list[int] = []
    broken: dict[Path, BrokenPicture] = {}
    for position, path in enumerate(paths):
        try:
            images[len(sound)] = read_picture(path, size, channels)
            sound.append(position)
        except BrokenPicture as error:
            broken[path] = error
    return ReadPictures(images[: len(sound)], np.array(sound, np.int64), broken)


def read_pictures(paths: Sequence[Path], size: int, channels: int, *, advice: str = "") -> NDArray[np.uint8]:
    """Return pictures as (N, size, size, channels).

    Raises:
        BadInput: Some are broken; they are named together, with the ``advice``.
    """
    found = readable_pictures(paths, size, channels)
    if len(found.broken) == 1 and not advice:
        raise next(iter(found.broken.values()))
    if found.broken:
        raise BadInput(f"{found.about_broken()}{': ' if advice else ''}{advice}.")
    return found.images


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
