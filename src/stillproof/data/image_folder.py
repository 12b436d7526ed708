"""Your own pictures: train/CLASS/*.png and test/CLASS/*.png (or .jpg, .jpeg) in a folder, or CLASS/*.png to split."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from stillproof.core.components import datasets
from stillproof.core.errors import BadInput, DataMissing
from stillproof.core.types import DataInfo, ImageSet
from stillproof.data.arrays import Arrays, Part, image_set
from stillproof.data.content_split import split_by_content
from stillproof.data.pictures import class_folders, pictures_in, read_pictures, readable_pictures

USUAL_SPLIT = 0.2  # what is offered
NAMED = 3  # pictures that a sentence names

log = logging.getLogger("stillproof")


@datasets.register("image_folder", version=1)
@dataclass(frozen=True)
class ImageFolder:
    """Your own pictures, one folder per class.

    Args:
        path: The folder that holds train/ and test/, or with ``split`` the folders of the classes.
        size: Pictures become squares of this many pixels: shorter side resized, centre cut out.
        channels: 3 for colour, 1 for grey.
        split: Share of the pictures of every class that are for testing, where there is no train/ and test/; they are
            chosen by what is in the files, so that the same pictures are always split in the same way.
        skip_broken: Whether to go on without pictures that cannot be read.
        allow_test_images: Whether to go on where pictures of test/ are in train/, too; rows then show this parameter.
    """

    path: str
    size: int = 32
    channels: int = 3
    split: float = 0.0
    skip_broken: bool = False
    allow_test_images: bool = False
    placing: ClassVar[str] = "it reads your own pictures, from FOLDER/train/CLASS/ and FOLDER/test/CLASS/"

    def __post_init__(self) -> None:
        """Refuse what no picture can have."""
        if self.size < 1 or self.channels not in (1, 3):
            raise ValueError(f"size {self.size} must be positive and channels {self.channels} must be 1 or 3")
        if not 0 <= self.split < 1:
            raise ValueError(f"split must be a share below 1, such as {USUAL_SPLIT}, not {self.split:g}")

    @property
    def folder(self) -> Path:
        """Return the folder."""
        return Path(self.path).expanduser()

    @property
    def info(self) -> DataInfo:
        """Return the description; mean and std are those of the training part, which is read for them."""
        return _of_training(self, self.signature())[0]

    def load(self, root: Path, split: Part) -> ImageSet:
        """Read one part; ``root`` is not used, since the folder is a parameter.

        Raises:
            BadInput: Pictures of the test part are in the training part, too, or pictures changed while they were read.
        """
        signature = self.signature()
        info = _of_training(self, signature)[0]
        part = _read(self, split, signature)
        if split == "test" and not self.allow_test_images:
            _refuse_shared(self, part, signature)
        if self.signature() != signature:
            raise BadInput(f"pictures in {self.folder} changed while they were read: give the command again.")
        return image_set(info, split, part.arrays)

    def signature(self) -> str:
        """Return what changes whenever a picture is changed, added or removed."""
        return hashlib.sha256("\n".join(sorted(_signs(str(self.folder)))).encode(errors="surrogateescape")).hexdigest()


def has_classes(folder: Path | str) -> bool:
    """Say whether a folder has pictures in folders of their own, which may be classes."""
    base = Path(folder).expanduser()
    return base.is_dir() and any(pictures_in(base / name) for name in class_folders(base))


def _signs(folder: str, below: int = 2) -> Iterator[str]:
    """Yield what tells each file below a folder from what it was: its time of change, too, which no tool sets."""
    with contextlib.suppress(OSError), os.scandir(folder) as items:  # reading says what is wrong
        for item in items:
            if item.is_dir():
                yield from _signs(item.path, below - 1) if below else ()  # as deep as FOLDER/train/CLASS/
            else:
                found = item.stat()
                yield f"{item.path}/{found.st_size}/{found.st_mtime_ns}/{found.st_ctime_ns}"


@dataclass(frozen=True, eq=False)
class _Pictures:
    """One part, with the file of each picture."""

    arrays: Arrays
    files: Sequence[Path]

    def by_content(self) -> dict[bytes, Path]:
        """Return the first file of each picture, by a hash of its pixels."""
        found: dict[bytes, Path] = {}
        for image, file in zip(self.arrays.images, self.files, strict=True):
            found.setdefault(hashlib.sha256(image.tobytes()).digest(), file)
        return found


@functools.lru_cache(maxsize=8)
def _of_training(asked: ImageFolder, signature: str) -> tuple[DataInfo, dict[bytes, Path]]:
    """Return the description, and the training pictures by content: a test picture must not be one of them."""
    train = _read(asked, "train", signature)
    mean, std = _statistics(train.arrays.images)
    classes = tuple(class_folders(asked.folder if asked.split else asked.folder / "train"))
    info = DataInfo("image_folder", asked.channels, asked.size, len(classes), mean, std, "not stated", classes)
    return info, train.by_content()


def _refuse_shared(asked: ImageFolder, test: _Pictures, signature: str) -> None:
    """Refuse test pictures that are training pictures, pixel by pixel at the size that they are read at."""
    trained = _of_training(asked, signature)[1]
    shared = [(file, trained[content]) for content, file in test.by_content().items() if content in trained]
    if not shared:
        return
    named = [f"{one.relative_to(asked.folder)} is {other.relative_to(asked.folder)}" for one, other in shared[:NAMED]]
    more = f" and {len(shared) - NAMED} more" if len(shared) > NAMED else ""
    raise BadInput(
        f"{len(shared)} of {len(test.files)} test pictures of {asked.folder} are training pictures, too "
        f"({', '.join(named)}{more}): remove them from one side, or add :allow_test_images=true to go on, which every "
        "row then shows."
    )


@functools.lru_cache(maxsize=1)  # the training part is wanted twice: for its statistics and for itself
def _read(asked: ImageFolder, part: Part, signature: str) -> _Pictures:
    if asked.split:
        return _split(asked, part, signature)
    for needed in ("train", part):
        if not (asked.folder / needed).is_dir():
            raise DataMissing(f"{asked.folder / needed} does not exist: {_ways_to_place(asked.folder)}.")
    classes = class_folders(asked.folder / "train")
    folder = asked.folder / part
    strange = [name for name in class_folders(folder) if name not in classes]
    if strange:
        raise BadInput(f"{folder / strange[0]} is a class that {asked.folder / 'train'} does not have.")
    return _read_classes(asked, folder, classes, all_needed=part == "train")


def _ways_to_place(folder: Path) -> str:
    placed = f"put the pictures in {folder}/train/CLASS/ and {folder}/test/CLASS/"
    if has_classes(folder):
        return f"{placed}, or name {folder}:split={USUAL_SPLIT}, which tests on a fifth of every class in {folder}"
    return f"{placed}, or in {folder}/CLASS/, to be named as {folder}:split={USUAL_SPLIT}"


def _split(asked: ImageFolder, part: Part, signature: str) -> _Pictures:
    """Return one part of the pictures of a folder that has only classes."""
    whole, keys = _whole(asked, signature)
    labels = whole.arrays.labels
    chosen = split_by_content(labels, keys, asked.split)
    classes = class_folders(asked.folder)
    untested = set(range(len(classes))) - set(labels[chosen].tolist())
    if untested:
        name = classes[min(untested)]
        raise BadInput(f"{asked.folder / name} cannot be split: at least two different pictures of a class are needed.")
    if part == "train":
        chosen = np.setdiff1d(np.arange(len(keys)), chosen)
    arrays = Arrays(whole.arrays.images[chosen], labels[chosen], asked.folder)
    return _Pictures(arrays, [whole.files[place] for place in chosen])


@functools.lru_cache(maxsize=1)  # both parts are made of it
def _whole(asked: ImageFolder, signature: str) -> tuple[_Pictures, Sequence[str]]:
    """Return all pictures, and the hashes of their files."""
    folder = asked.folder
    if not folder.is_dir():
        raise DataMissing(f"{folder} is not there: put the pictures in {folder}/CLASS/.")
    if (folder / "train").is_dir():
        raise BadInput(f"{folder} has a train/ already: leave split={asked.split:g} out.")
    whole = _read_classes(asked, folder, class_folders(folder), all_needed=True)
    return whole, [hashlib.sha256(file.read_bytes()).hexdigest() for file in whole.files]


def _read_classes(asked: ImageFolder, folder: Path, classes: Sequence[str], *, all_needed: bool) -> _Pictures:
    """Return the pictures in the class folders of a folder."""
    there = [(label, folder / name) for label, name in enumerate(classes) if (folder / name).is_dir()]
    listed = [(path, label) for label, place in there for path in pictures_in(place)]
    files, labels = [path for path, _ in listed], np.array([label for _, label in listed], np.int64)
    if asked.skip_broken:
        found = readable_pictures(files, asked.size, asked.channels)
        if found.broken:
            _warn_once(found.about_broken())
        images, labels, files = found.images, labels[found.positions], [files[place] for place in found.positions]
    else:
        advice = "mend or remove them, or add :skip_broken=true to go on without them"
        images = read_pictures(files, asked.size, asked.channels, advice=advice)
    present = set(labels.tolist())
    empty = [name for label, name in enumerate(classes) if label not in present]
    if not len(labels) or (all_needed and empty):
        readable = " that can be read" if asked.skip_broken else ""
        raise BadInput(f"{folder.joinpath(*empty[:1])} holds no .png, .jpg or .jpeg pictures{readable}.")
    return _Pictures(Arrays(images, labels, folder), files)


@functools.cache
def _warn_once(said: str) -> None:
    log.warning("going on without broken pictures: %s.", said)


def _statistics(images: NDArray[np.uint8]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return mean and std of each channel in [0, 1]; a channel that never changes gets std 1, not 0."""
    values = np.arange(256) / 255
    mean, std = [], []
    for channel in range(images.shape[3]):
        share = np.bincount(images[..., channel].reshape(-1), minlength=256) / images[..., channel].size
        mean.append(float(share @ values))
        std.append(float(np.sqrt(share @ (values - mean[-1]) ** 2)))
    return tuple(round(m, 4) for m in mean), tuple(round(s, 4) or 1.0 for s in std)
