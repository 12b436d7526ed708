"""Your own pictures: train/CLASS/*.png and test/CLASS/*.png (or .jpg, .jpeg) in a folder of your choice."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from stillproof.core.components import datasets
from stillproof.core.errors import BadInput, DataMissing
from stillproof.core.types import DataInfo, ImageSet
from stillproof.data.arrays import Arrays, Part, image_set
from stillproof.data.pictures import class_folders, pictures_in, read_pictures


@datasets.register("image_folder", version=1)
@dataclass(frozen=True)
class ImageFolder:
    """Your own pictures, one folder per class.

    Args:
        path: The folder that holds train/ and test/.
        size: Pictures become squares of this many pixels: shorter side resized, centre cut out.
        channels: 3 for colour, 1 for grey.
    """

    path: str
    size: int = 32
    channels: int = 3
    placing: ClassVar[str] = "it reads your own pictures, from FOLDER/train/CLASS/ and FOLDER/test/CLASS/"

    def __post_init__(self) -> None:
        """Refuse what no picture can have."""
        if self.size < 1 or self.channels not in (1, 3):
            raise ValueError(f"size {self.size} must be positive and channels {self.channels} must be 1 or 3")

    @property
    def info(self) -> DataInfo:
        """Return the description; mean and std are those of the training part, which is read for them."""
        return _info(Path(self.path).expanduser(), self.size, self.channels)

    def load(self, root: Path, split: Part) -> ImageSet:
        """Read one part; ``root`` is not used, since the folder is a parameter."""
        folder = Path(self.path).expanduser()
        return image_set(self.info, split, _read(folder, self.size, self.channels, split))


@functools.lru_cache(maxsize=8)
def _info(folder: Path, size: int, channels: int) -> DataInfo:
    mean, std = _statistics(_read(folder, size, channels, "train").images)
    classes = tuple(class_folders(folder / "train"))
    return DataInfo("image_folder", channels, size, len(classes), mean, std, "not stated", classes)


@functools.lru_cache(maxsize=1)  # the training part is wanted twice: for its statistics and for itself
def _read(folder: Path, size: int, channels: int, split: Part) -> Arrays:
    for part in ("train", split):
        if not (folder / part).is_dir():
            raise DataMissing(f"{folder / part} is not there: put the pictures in {folder}/{part}/CLASS/.")
    classes = {name: label for label, name in enumerate(class_folders(folder / "train"))}
    strange = [name for name in class_folders(folder / split) if name not in classes]
    if strange:
        raise BadInput(f"{folder / split / strange[0]} is a class that {folder / 'train'} does not have.")
    listed = [(p, classes[name]) for name in class_folders(folder / split) for p in pictures_in(folder / split / name)]
    empty = set(classes.values()) - {label for _, label in listed} if split == "train" else set()
    if not listed or empty:
        bare = [name for name, label in classes.items() if label in empty]
        raise BadInput(f"{folder.joinpath(split, *bare[:1])} holds no .png, .jpg or .jpeg pictures.")
    images = read_pictures([path for path, _ in listed], size, channels)
    return Arrays(images, np.array([label for _, label in listed], np.int64), folder / split)


def _statistics(images: NDArray[np.uint8]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return mean and std of each channel in [0, 1]; a channel that never changes gets std 1, not 0."""
    values = np.arange(256) / 255
    mean, std = [], []
    for channel in range(images.shape[3]):
        share = np.bincount(images[..., channel].reshape(-1), minlength=256) / images[..., channel].size
        mean.append(float(share @ values))
        std.append(float(np.sqrt(share @ (values - mean[-1]) ** 2)))
    return tuple(round(m, 4) for m in mean), tuple(round(s, 4) or 1.0 for s in std)
