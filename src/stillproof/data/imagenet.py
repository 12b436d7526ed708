"""ImageNet-1k and its ten-class subsets, from the usual folders."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from stillproof.core.components import datasets
from stillproof.core.errors import BadInput, DataMissing
from stillproof.core.types import DataInfo, ImageSet
from stillproof.data.arrays import Part
from stillproof.data.content import content_id, warn_unless_known
from stillproof.data.imagenet_subsets import SUBSETS
from stillproof.data.mapped_cache import as_tensor, remembered
from stillproof.data.picture_cache import cached_pictures
from stillproof.data.pictures import class_folders, pictures_in

PLACES: dict[Part, str] = {"train": "train", "test": "val"}


@datasets.register(
    "imagenet",
    version=1,
    paper="arXiv:1409.0575",
    names={
        "imagenette": {"subset": "imagenette"},
        "imagewoof": {"subset": "imagewoof"},
        "imagemeow": {"subset": "imagemeow"},
        "imagesquawk": {"subset": "imagesquawk"},
        "imagefruit": {"subset": "imagefruit"},
        "imageyellow": {"subset": "imageyellow"},
    },
)
@dataclass(frozen=True)
class ImageNet:
    """ImageNet-1k or ten of its classes, colour; the validation part is the test.

    Args:
        subset: All 1,000 classes, or a subset of ten in the order of its authors.
        size: Pictures become squares of this many pixels: shorter side resized, centre cut out.
    """

    subset: Literal["imagenet", "imagenette", "imagewoof", "imagemeow", "imagesquawk", "imagefruit", "imageyellow"] = (
        "imagenet"
    )
    size: int = 224
    placing: ClassVar[str] = (
        "ask for it at image-net.org, then put its pictures in imagenet/train/WNID/ and imagenet/val/WNID/"
    )

    def __post_init__(self) -> None:
        """Refuse what no picture can have."""
        if self.size < 1:
            raise ValueError(f"size {self.size} must be positive")

    @property
    def info(self) -> DataInfo:
        """Return the description."""
        names = tuple(SUBSETS.get(self.subset, {}).values())
        return DataInfo(
            name=self.subset,
            channels=3,
            size=self.size,
            num_classes=len(names) or 1000,
            mean=(0.485, 0.456, 0.406),
            std=(0.229, 0.224, 0.225),
            licence="non-commercial research use only (ImageNet)",
            class_names=names,
        )

    def here(self, root: Path) -> bool:
        """Say whether the folders are there, without decoding a million pictures."""
        return any(_holds_both(base) for base in self._places(root))

    def load(self, root: Path, split: Part) -> ImageSet:
        """Read imagenet/ (or a folder named as the subset) through a cache of decoded pictures beside them."""
        import torch

        base = self._base(root)
        folder = base / PLACES[split]
        listed = [(p, label) for label, wnid in enumerate(self._classes(base)) for p in _pictures(folder / wnid)]
        labels = np.array([label for _, label in listed], np.int64)
        stem = f"{self.subset}-{split}"
        images, file = cached_pictures([p for p, _ in listed], self.size, base / "stillproof-cache", stem)
        data_id = remembered(file, lambda: content_id(self.subset, split, images.transpose(0, 2, 3, 1), labels))
        warn_unless_known(data_id, len(labels))
        return ImageSet(as_tensor(images), torch.from_numpy(labels), self.info, data_id)

    def _places(self, root: Path) -> tuple[Path, Path]:
        return root / self.subset, root / "imagenet"

    def _base(self, root: Path) -> Path:
        for base in self._places(root):
            if _holds_both(base):
                return base
        raise DataMissing(f"data set {self.subset} is not in {root}: {self.placing}.")

    def _classes(self, base: Path) -> list[str]:
        """Return the WordNet ids of the classes, by label; all 1,000 are labelled in sorted order."""
        if self.subset in SUBSETS:
            return list(SUBSETS[self.subset])
        classes = class_folders(base / "train")
        if len(classes) != 1000:
            raise BadInput(f"{base / 'train'} holds {len(classes)} class folders instead of 1,000.")
        return classes


def _holds_both(base: Path) -> bool:
    return all((base / place).is_dir() for place in PLACES.values())


def _pictures(folder: Path) -> list[Path]:
    found = pictures_in(folder) if folder.is_dir() else []
    if not found:
        raise BadInput(f"{folder} holds no pictures, but its class is part of the data set.")
    return found
