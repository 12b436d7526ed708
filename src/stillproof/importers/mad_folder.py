"""Reads attacked images in MAD's folder layout, ``<attack>/<train|val|test>/<class>/<class>_<n>.png``."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stillproof.core.errors import BadInput
from stillproof.core.open_picture import open_picture
from stillproof.core.types import DataInfo
from stillproof.data.pictures import SUFFIXES

SPLITS = ("train", "val", "test")  # a folder for each of ``ROLES``
LAYOUT = "<attack>/<train|val|test>/<class>/<class>_<n>.png, where classes are numbers"
CLASS = re.compile(r"[0-9]{1,9}")
SAID = 3  # of many things that are wrong in one way, these are named


@dataclass(frozen=True)
class AttackFolder:
    """The pictures under one attack, one value each.

    Args:
        name: What the folder is called: MAD's number of the attack, or another name.
        files: The pictures.
        labels: Their classes, by their folders.
        roles: What they are for, as places in ``SPLITS``.
    """

    name: str
    files: Sequence[Path]
    labels: Sequence[int]
    roles: Sequence[int]


@dataclass(frozen=True)
class AttackPictures:
    """What could be read of them.

    Args:
        images: Bytes, (N, C, H, W).
        labels: Classes, (N,).
        roles: Places in ``SPLITS``, (N,).
        refused: Why others are not among them, one sentence each.
    """

    images: NDArray[np.uint8]
    labels: NDArray[np.int64]
    roles: NDArray[np.int8]
    refused: Sequence[str]


def find_attacks(root: Path, info: DataInfo) -> tuple[list[AttackFolder], list[str]]:
    """Return the attacks of a folder, in order, and what else is in it, by paths; only names are read.

    Raises:
        BadInput: It has another layout, or a class that the data set does not have.
    """
    if not root.is_dir():
        raise BadInput(f"{root} is {'not a folder' if root.exists() else 'not there'}: MAD's layout is {LAYOUT}.")
    strange: list[Path] = []
    attacks = [found for folder in _folders(root, strange) if (found := _attack(folder, strange, info))]
    if not attacks:
        raise BadInput(f"{root} does not have MAD's layout: nothing in it is {LAYOUT}.")
    return attacks, [_printable(path.relative_to(root)) for path in strange]


def read_attack(found: AttackFolder, info: DataInfo) -> AttackPictures:
    """Read the pictures of one attack; those that are broken or fit no image of the data set are left out."""
    images = np.empty((len(found.files), info.channels, info.size, info.size), np.uint8)
    good: list[int] = []
    refused: list[str] = []
    for place, file in enumerate(found.files):
        try:
            images[len(good)] = _pixels(file, info)
            good.append(place)
        except BadInput as error:
            short = _printable(Path(*file.parts[-3:]))  # what is kept says nothing of where the folder was
            refused.append(str(error).replace(str(file), short).rstrip("."))
    labels, roles = np.asarray(found.labels, np.int64), np.asarray(found.roles, np.int8)
    return AttackPictures(images[: len(good)], labels[good], roles[good], refused)


def first_of(things: Sequence[str]) -> str:
    """Return a list of the first few things of many."""
    more = f"; and {len(things) - SAID} more" if len(things) > SAID else ""
    return f"{'; '.join(things[:SAID])}{more}"


def _attack(folder: Path, strange: list[Path], info: DataInfo) -> AttackFolder | None:
    """Return the pictures of a folder; nothing if it is none of an attack, which is then strange."""
    inside: list[Path] = []
    listed: list[tuple[int, int, Path]] = []  # role, class, picture
    classes = 0
    for split in _folders(folder, inside):
        if split.name not in SPLITS:
            inside.append(split)
            continue
        for one in _folders(split, inside):
            if not CLASS.fullmatch(one.name):
                inside.append(one)
                continue
            label, classes = int(one.name), classes + 1
            if label >= info.num_classes:
                raise BadInput(f"{one} is class {label}, but {info.name} has 0 to {info.num_classes - 1}.")
            files = _listed(one)
            listed += [(SPLITS.index(split.name), label, file) for file in files if file.suffix.lower() in SUFFIXES]
            inside += [file for file in files if file.suffix.lower() not in SUFFIXES]
    if not classes or not folder.name.isprintable():
        strange.append(folder)
        return None
    strange += inside
    listed.sort(key=lambda one: one[:2])  # files stay as they are listed
    roles, labels, pictures = zip(*listed, strict=True) if listed else ((), (), ())
    return AttackFolder(folder.name, pictures, labels, roles)


def _folders(folder: Path, strange: list[Path]) -> Iterator[Path]:
    """Yield the folders in a folder; links, which may lead anywhere, and files are strange."""
    for one in _listed(folder):
        if one.is_dir() and not one.is_symlink():
            yield one
        else:
            strange.append(one)


def _listed(folder: Path) -> list[Path]:
    """Return what is in a folder, numbers in names in order of their values; what is hidden does not count."""

    def order(path: Path) -> tuple[list[tuple[bool, int, str]], str]:
        parts = [part for part in re.split(r"([0-9]+)", path.name) if part]
        numbers = [part[0] in "0123456789" for part in parts]
        return [(not n, int(part[:18]) if n else 0, part) for part, n in zip(parts, numbers, strict=True)], path.name

    return sorted((one for one in folder.iterdir() if not one.name.startswith(".")), key=order)


def _printable(path: Path) -> str:
    """Return a path as people may see it: a planted name could hold anything."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(path))


def _pixels(file: Path, info: DataInfo) -> NDArray[np.uint8]:
    """Return the picture as (C, H, W)."""
    if not stat.S_ISREG(file.lstat().st_mode):  # opening a pipe would wait, and a link may lead anywhere
        raise BadInput(f"{file} is no regular file.")
    with open_picture(file) as picture:
        if picture.mode.startswith(("I", "F")):
            raise BadInput(f"{file} has more than 8 bits per channel.")
        if picture.size != (info.size, info.size):
            width, height = picture.size
            raise BadInput(f"{file} has {width} x {height} pixels, but {info.name} has {info.size} x {info.size}.")
        every = np.asarray(picture.convert("RGBA"))
    colours, alpha = every[..., :3], every[..., 3]
    if (alpha < 255).any():
        raise BadInput(f"{file} is transparent.")
    if info.channels == 1 and (colours != colours[..., :1]).any():
        raise BadInput(f"{file} has colours, but {info.name} is grey.")
    return colours[..., : info.channels].transpose(2, 0, 1)
