"""Distilled sets that are folders of pictures, one folder per class: SRe2L and its kin, RDED, D4M, and any other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from stillproof.core.errors import BadInput
from stillproof.core.open_picture import open_picture
from stillproof.core.types import DataInfo, Hard
from stillproof.data.imagenet_subsets import SUBSETS
from stillproof.data.pictures import class_folders, pictures_in, read_pictures
from stillproof.importers.foreign_set import OWN, ForeignSet

MADE_BY = ("sre2l", "cda", "dwa", "g-vbsm", "gvbsm", "edc", "rded", "d4m", "random")
CLASS_NUMBER = re.compile(r"(?:new|class)?_?(\d+)")  # in the name of a folder


@dataclass(eq=False)
class ImageFolders:
    """One way of naming folders and pictures.

    Args:
        name: As ``--format`` takes it.
        folder: What a class folder is called.
        picture: What a picture is called.
        square: Side of the pictures where the format has one of its own, whatever the data set's size.
        method: Who writes this layout, if only one method does.
    """

    name: str
    folder: str
    picture: str
    square: int | None = None
    method: str = OWN

    def recognises(self, path: Path) -> str:
        """Return which folder and picture show the layout; only names are read."""
        if _layout_of(path) is not self:
            return ""
        first = class_folders(path)[0]
        return f"it holds {first}/{pictures_in(path / first)[0].name}"

    def read(self, path: Path, info: DataInfo) -> list[ForeignSet]:
        """Return the pictures in the order of their sorted folders and names, which recorded labels count by."""
        if not path.is_dir():
            raise BadInput(f"{path} is not a folder: this format has one folder of pictures per class.")
        folders = class_folders(path)
        labels, how = _folder_labels(path, folders, info)
        listed = [
            (file, label) for name, label in zip(folders, labels, strict=True) for file in pictures_in(path / name)
        ]
        if not listed:
            raise BadInput(f"{path} holds no folders with .png, .jpg or .jpeg pictures.")
        files = [file for file, _ in listed]
        resized = self._check_sizes(files, info)
        pixels = torch.from_numpy(read_pictures(files, info.size, info.channels))  # (N, H, W, C)
        images = pixels.permute(0, 3, 1, 2).float().div(255).contiguous()
        hard = Hard(torch.tensor([label for _, label in listed]))
        found = (how, *resized)
        return [ForeignSet(images, hard, "pixels", method=self._method(path), found=found, files=tuple(files))]

    def _check_sizes(self, files: list[Path], info: DataInfo) -> list[str]:
        """Refuse pictures of another size than the data set's, unless the format says that they are to be shrunk."""
        own = self.square if self.square and self.square > info.size else info.size
        shrunk = False
        for file in files:
            size = _size(file)
            shrunk = shrunk or size == (own, own) != (info.size, info.size)
            if size not in ((info.size, info.size), (own, own)):
                raise BadInput(
                    f"{file} has {size[0]} x {size[1]} pixels, but {info.name} has {info.size} x {info.size}: name the "
                    "data set that it was made from."
                )
        return [f"pictures of {own} pixels were shrunk to the {info.size} of {info.name}, bilinearly"] if shrunk else []

    def _method(self, path: Path) -> str:
        named = [method for method in MADE_BY if re.search(rf"(?<![a-z]){method}(?![a-z])", path.name.lower())]
        return self.method if self.method != OWN or not named else named[0]


SRE2L = ImageFolders("sre2l", r"new\d+", r"class\d+_id\d+")  # also of CDA, DWA, G-VBSM and EDC
RDED = ImageFolders("rded", r"\d{5}", r"class\d+_id\d+", method="rded")
D4M = ImageFolders("d4m", r".+", r".+-image\d+", 224, method="d4m")
NUMBERED = ImageFolders("numbered-folders", r"\d+", r"\d+")  # DD-Ranking's random sets
ANY = ImageFolders("image-folder", r".+", r".+")

IMAGE_FOLDERS = (SRE2L, RDED, D4M, NUMBERED, ANY)


def _layout_of(path: Path) -> ImageFolders | None:
    """Return the narrowest layout that a folder's first class shows."""
    if not path.is_dir():
        return None
    first = next(iter(class_folders(path)), None)
    picture = next(iter(pictures_in(path / first)), None) if first else None
    if first is None or picture is None:
        return None
    layouts = (
        one for one in IMAGE_FOLDERS if re.fullmatch(one.folder, first) and re.fullmatch(one.picture, picture.stem)
    )
    return next(layouts, None)


def _size(file: Path) -> tuple[int, int]:
    with open_picture(file) as picture:
        return picture.size


def _folder_labels(path: Path, folders: Sequence[str], info: DataInfo) -> tuple[list[int], str]:
    """Return the class of each folder, and one sentence that says how it was told.

    It is told by a folder's number, by the class's name, or by its place among the others.

    Raises:
        BadInput: A folder stands for no class of the data set.
    """
    numbers = [CLASS_NUMBER.fullmatch(name) for name in folders]
    if folders and all(numbers):
        return _numbered(path, folders, [int(match[1]) for match in numbers if match], info)
    for known, what in ((info.class_names, "names"), (tuple(SUBSETS.get(info.name, {})), "WordNet ids")):
        places = {_plain(name): label for label, name in enumerate(known)}
        if known and all(_plain(name) in places for name in folders):
            return [places[_plain(name)] for name in folders], f"classes are told by the {what} of their folders"
    if len(folders) == info.num_classes:
        how = "classes are told by the sorted order of their folders: check that it is right"
        return list(range(len(folders))), how
    strange = next((name for name in folders if _plain(name) not in {_plain(known) for known in info.class_names}), "")
    raise BadInput(
        f"{path} holds {len(folders)} class folders, {strange!r} among them, which are neither the {info.num_classes} "
        f"classes of {info.name} nor their names nor numbers."
    )


def _numbered(path: Path, folders: Sequence[str], numbers: list[int], info: DataInfo) -> tuple[list[int], str]:
    for name, number in zip(folders, numbers, strict=True):
        if number >= info.num_classes:
            raise BadInput(f"{path / name} is class {number}, but {info.name} has 0 to {info.num_classes - 1}.")
    if len(set(numbers)) < len(numbers):
        twice = next(name for name, number in zip(folders, numbers, strict=True) if numbers.count(number) > 1)
        raise BadInput(f"{path / twice} is one of two folders of the same class.")
    return numbers, "classes are told by the numbers of their folders"


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", " ", name).strip().lower()
