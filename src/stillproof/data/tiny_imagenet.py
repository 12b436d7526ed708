"""Tiny-ImageNet: 200 classes of ImageNet at 64 x 64 pixels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from stillproof.core.components import datasets
from stillproof.core.errors import BadInput
from stillproof.core.plain_reason import plain_reason
from stillproof.core.regular_file import TEXT_BYTES, read_regular
from stillproof.core.types import DataInfo, ImageSet
from stillproof.data.arrays import Arrays, Part, first_found, image_set
from stillproof.data.npz import read_npz
from stillproof.data.pictures import class_folders, pictures_in, read_pictures
from stillproof.data.sources import Source

LONGEST = 255  # letters of a file's name


@datasets.register("tiny_imagenet", version=1, paper="Le and Yang, 2015")
@dataclass(frozen=True)
class TinyImageNet:
    """Pictures of 200 kinds of things, 64 x 64 colour, 100,000 + 10,000 images; the validation part is the test."""

    info: ClassVar[DataInfo] = DataInfo(
        name="tiny_imagenet",
        channels=3,
        size=64,
        num_classes=200,
        mean=(0.485, 0.456, 0.406),
        std=(0.229, 0.224, 0.225),
        licence="non-commercial research use only (ImageNet)",
    )
    sources: ClassVar[tuple[Source, ...]] = (
        Source("http://cs231n.stanford.edu/tiny-imagenet-200.zip", "90528d7ca1a48142e341f4ef8d21d0de"),
    )

    def load(self, root: Path, split: Part) -> ImageSet:
        """Read tiny-imagenet-200/ or tiny_imagenet.npz; classes are in the order of their sorted WordNet ids."""
        folder = root / "tiny-imagenet-200"
        readers = (partial(_read_folder, folder, split), partial(read_npz, root / "tiny_imagenet.npz", split))
        return image_set(self.info, split, first_found(self.info.name, root, readers))


def _read_folder(folder: Path, split: Part) -> Arrays | None:
    if not (folder / "train").is_dir() or (split == "test" and not (folder / "val").is_dir()):
        return None
    classes = {wnid: label for label, wnid in enumerate(class_folders(folder / "train"))}
    if len(classes) != TinyImageNet.info.num_classes:
        raise BadInput(f"{folder / 'train'} holds {len(classes)} class folders instead of 200.")
    try:
        listed = _train_pictures(folder, classes) if split == "train" else _val_pictures(folder, classes)
    except OSError as error:
        raise BadInput(f"{folder} is incomplete: {error.filename} cannot be read ({plain_reason(error)}).") from error
    images = read_pictures([path for path, _ in listed], TinyImageNet.info.size, TinyImageNet.info.channels)
    return Arrays(images, np.array([label for _, label in listed], np.int64), folder)


def _train_pictures(folder: Path, classes: dict[str, int]) -> list[tuple[Path, int]]:
    return [(p, label) for wnid, label in classes.items() for p in pictures_in(folder / "train" / wnid / "images")]


def _val_pictures(folder: Path, classes: dict[str, int]) -> list[tuple[Path, int]]:
    """Read val_annotations.txt: file name, WordNet id and a box, separated by tabs."""
    annotations = folder / "val" / "val_annotations.txt"
    listed = []
    for line in read_regular(annotations, TEXT_BYTES).decode(errors="replace").splitlines():
        name, _, rest = line.partition("\t")
        wnid = rest.partition("\t")[0]
        named = Path(name).name == name and name.isprintable() and len(name) <= LONGEST
        if wnid not in classes or not named:
            raise BadInput(f"{annotations}: {line[:60]!r} does not name a picture and one of the training classes.")
        listed.append((folder / "val" / "images" / name, classes[wnid]))
    return listed
