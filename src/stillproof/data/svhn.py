"""SVHN: street view house numbers, cropped digits of 32 x 32 pixels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from stillproof.core.components import datasets
from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo, ImageSet
from stillproof.data.arrays import Arrays, Part, first_found, image_set
from stillproof.data.mat_files import read_mat
from stillproof.data.npz import read_npz
from stillproof.data.sources import Source

_BASE = "http://ufldl.stanford.edu/housenumbers"


@datasets.register("svhn", version=1, paper="Netzer et al., NIPS Workshop 2011")
@dataclass(frozen=True)
class Svhn:
    """Cropped house numbers, 32 x 32 colour, 73,257 + 26,032 images."""

    info: ClassVar[DataInfo] = DataInfo(
        name="svhn",
        channels=3,
        size=32,
        num_classes=10,
        mean=(0.4377, 0.4438, 0.4728),
        std=(0.1980, 0.2010, 0.1970),
        licence="non-commercial use only",
        class_names=tuple("0123456789"),
    )
    sources: ClassVar[tuple[Source, ...]] = (
        Source(f"{_BASE}/train_32x32.mat", "e26dedcc434d2e4c54c9b2d4a06d8373", "svhn"),
        Source(f"{_BASE}/test_32x32.mat", "eb5a983be6a315427106f1b164d9cef3", "svhn"),
    )

    def load(self, root: Path, split: Part) -> ImageSet:
        """Read train_32x32.mat and test_32x32.mat, in the folder itself, svhn/ or SVHN/, or svhn.npz."""
        files = [folder / f"{split}_32x32.mat" for folder in (root / "svhn", root / "SVHN", root)]
        readers = [*(partial(_read_mat, file) for file in files), partial(read_npz, root / "svhn.npz", split)]
        return image_set(self.info, split, first_found(self.info.name, root, readers))


def _read_mat(path: Path) -> Arrays | None:
    if not path.is_file():
        return None
    images, labels = read_mat(path, "X", "y")
    if images.ndim != 4 or labels.dtype.kind not in "iu":
        raise BadInput(f"{path}: X has {images.ndim} axes and y is {labels.dtype}, but 4 and whole numbers are needed.")
    labels = labels.reshape(-1).astype(np.int64)
    return Arrays(images.transpose(3, 0, 1, 2), np.where(labels == 10, 0, labels), path)  # the file writes 0 as 10
