"""Which class a folder of pictures stands for: by its number, by the class's name, or by its place among the others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo
from stillproof.data.imagenet_subsets import SUBSETS

NUMBERED = re.compile(r"(?:new|class)?_?(\d+)")


def folder_labels(path: Path, folders: Sequence[str], info: DataInfo) -> tuple[list[int], str]:
    """Return the class of each folder, and one sentence that says how it was told.

    Raises:
        BadInput: A folder stands for no class of the data set.
    """
    numbers = [NUMBERED.fullmatch(name) for name in folders]
    if folders and all(numbers):
        return _numbered(path, folders, [int(match[1]) for match in numbers if match], info)
    for known, what in ((info.class_names, "names"), (tuple(SUBSETS.get(info.name, {})), "WordNet ids")):
        places = {_plain(name): label for label, name in enumerate(known)}
        if known and all(_plain(name) in places for name in folders):
            return [places[_plain(name)] for name in folders], f"classes are told by the {what} of their folders"
    if len(folders) == info.num_classes:
        return list(
            range(len(folders))
        ), "classes are told by the sorted order of their folders: check that it is right"
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
