"""MNIST: 70,000 handwritten digits of 28 x 28 pixels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from stillproof.core.components import datasets
from stillproof.core.types import DataInfo, ImageSet
from stillproof.data.arrays import Part, first_found, image_set
from stillproof.data.idx import read_idx_pair
from stillproof.data.npz import read_npz
from stillproof.data.sources import Source

_BASE = "https://ossci-datasets.s3.amazonaws.com/mnist"


@datasets.register("mnist", version=1, paper="doi:10.1109/5.726791")
@dataclass(frozen=True)
class Mnist:
    """Handwritten digits, 28 x 28 grey, 60,000 + 10,000 images."""

    info: ClassVar[DataInfo] = DataInfo(
        name="mnist",
        channels=1,
        size=28,
        num_classes=10,
        mean=(0.1307,),
        std=(0.3081,),
        licence="CC BY-SA 3.0",
        class_names=tuple("0123456789"),
    )
    sources: ClassVar[tuple[Source, ...]] = (
        Source(f"{_BASE}/train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873", "mnist"),
        Source(f"{_BASE}/train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432", "mnist"),
        Source(f"{_BASE}/t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3", "mnist"),
        Source(f"{_BASE}/t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c", "mnist"),
    )

    def load(self, root: Path, split: Part) -> ImageSet:
        """Read the idx files of mnist/, mnist/raw/ or MNIST/raw/, or mnist.npz."""
        folders = [root / "mnist", root / "mnist" / "raw", root / "MNIST" / "raw"]
        readers = (lambda: read_idx_pair(folders, split), lambda: read_npz(root / "mnist.npz", split))
        return image_set(self.info, split, first_found(self.info.name, root, readers))
