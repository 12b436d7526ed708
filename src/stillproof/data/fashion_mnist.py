"""Fashion-MNIST: 70,000 pictures of clothes in the format of MNIST."""

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

_BASE = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com"


@datasets.register("fashion_mnist", version=1, paper="arXiv:1708.07747")
@dataclass(frozen=True)
class FashionMnist:
    """Pictures of clothes, 28 x 28 grey, 60,000 + 10,000 images."""

    info: ClassVar[DataInfo] = DataInfo(
        name="fashion_mnist",
        channels=1,
        size=28,
        num_classes=10,
        mean=(0.2861,),
        std=(0.3530,),
        licence="MIT (Zalando SE, 2017)",
        class_names=(
            "t-shirt", "trouser", "pullover", "dress", "coat",
            "sandal", "shirt", "sneaker", "bag", "ankle boot",
        ),
    )  # fmt: skip
    sources: ClassVar[tuple[Source, ...]] = (
        Source(f"{_BASE}/train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d", "fashion_mnist"),
        Source(f"{_BASE}/train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe", "fashion_mnist"),
        Source(f"{_BASE}/t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79", "fashion_mnist"),
        Source(f"{_BASE}/t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310", "fashion_mnist"),
    )

    def load(self, root: Path, split: Part) -> ImageSet:
        """Read the idx files of fashion_mnist/, fashion_mnist/raw/ or FashionMNIST/raw/, or fashion_mnist.npz."""
        folders = [root / "fashion_mnist", root / "fashion_mnist" / "raw", root / "FashionMNIST" / "raw"]
        readers = (lambda: read_idx_pair(folders, split), lambda: read_npz(root / "fashion_mnist.npz", split))
        return image_set(self.info, split, first_found(self.info.name, root, readers))
