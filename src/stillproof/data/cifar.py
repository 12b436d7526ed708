"""CIFAR-10 and CIFAR-100: 60,000 colour pictures of 32 x 32 pixels each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from stillproof.core.components import datasets
from stillproof.core.errors import BadInput
from stillproof.core.plain_reason import plain_reason
from stillproof.core.regular_file import read_regular
from stillproof.core.types import DataInfo, ImageSet
from stillproof.data.arrays import Arrays, Part, first_found, image_set
from stillproof.data.npz import read_npz
from stillproof.data.pickled_dict import read_pickled_dict
from stillproof.data.sources import Source

PIXELS = 3 * 32 * 32
LICENCE = "none stated (A. Krizhevsky, 2009)"
BATCHES: dict[Part, tuple[str, ...]] = {
    "train": tuple(f"data_batch_{i}" for i in range(1, 6)),
    "test": ("test_batch",),
}
FINE_NAMES = """
apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle bowl boy bridge bus butterfly
camel can castle caterpillar cattle chair chimpanzee clock cloud cockroach couch crab crocodile cup
dinosaur dolphin elephant flatfish forest fox girl hamster house kangaroo keyboard lamp lawn_mower
leopard lion lizard lobster man maple_tree motorcycle mountain mouse mushroom oak_tree orange orchid
otter palm_tree pear pickup_truck pine_tree plain plate poppy porcupine possum rabbit raccoon ray
road rocket rose sea seal shark shrew skunk skyscraper snail snake spider squirrel streetcar
sunflower sweet_pepper table tank telephone television tiger tractor train trout tulip turtle
wardrobe whale willow_tree wolf woman worm
"""


@datasets.register("cifar10", version=1, paper="Krizhevsky, 2009")
@dataclass(frozen=True)
class Cifar10:
    """Pictures of ten kinds of things, 32 x 32 colour, 50,000 + 10,000 images."""

    info: ClassVar[DataInfo] = DataInfo(
        name="cifar10",
        channels=3,
        size=32,
        num_classes=10,
        mean=(0.4914, 0.4822, 0.4465),
        std=(0.2023, 0.1994, 0.2010),
        licence=LICENCE,
        class_names=("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"),
    )
    sources: ClassVar[tuple[Source, ...]] = (
        Source("https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz", "c32a1d4ab5d03f1284b67883e8d87530"),
    )

    def load(self, root: Path, split: Part) -> ImageSet:
        """Read cifar-10-batches-bin/, cifar-10-batches-py/ or cifar10.npz."""
        binary = [root / "cifar-10-batches-bin" / f"{batch}.bin" for batch in BATCHES[split]]
        pickled = [root / "cifar-10-batches-py" / batch for batch in BATCHES[split]]
        readers = (
            partial(_read_binary, binary, 1),
            partial(_read_pickled, pickled, "labels"),
            partial(read_npz, root / "cifar10.npz", split),
        )
        return image_set(self.info, split, first_found(self.info.name, root, readers))


@datasets.register("cifar100", version=1, paper="Krizhevsky, 2009")
@dataclass(frozen=True)
class Cifar100:
    """Pictures of a hundred kinds of things (fine labels), 32 x 32 colour, 50,000 + 10,000 images."""

    info: ClassVar[DataInfo] = DataInfo(
        name="cifar100",
        channels=3,
        size=32,
        num_classes=100,
        mean=(0.5071, 0.4866, 0.4409),
        std=(0.2673, 0.2564, 0.2762),
        licence=LICENCE,
        class_names=tuple(FINE_NAMES.split()),
    )
    sources: ClassVar[tuple[Source, ...]] = (
        Source("https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz", "03b5dce01913d631647c71ecec9e9cb8"),
    )

    def load(self, root: Path, split: Part) -> ImageSet:
        """Read cifar-100-binary/, cifar-100-python/ or cifar100.npz."""
        readers = (
            partial(_read_binary, [root / "cifar-100-binary" / f"{split}.bin"], 2),
            partial(_read_pickled, [root / "cifar-100-python" / split], "fine_labels"),
            partial(read_npz, root / "cifar100.npz", split),
        )
        return image_set(self.info, split, first_found(self.info.name, root, readers))


def _read_binary(files: list[Path], label_bytes: int) -> Arrays | None:
    """Read records of labels and pixels; the last label byte is the one that counts (coarse stands before fine)."""
    if not all(file.is_file() for file in files):
        return None
    batches = []
    for file in files:
        try:
            content = np.frombuffer(read_regular(file), np.uint8)
        except OSError as error:
            raise BadInput(f"{file} cannot be read: {plain_reason(error)}.") from error
        if len(content) == 0 or len(content) % (label_bytes + PIXELS):
            raise BadInput(
                f"{file} is cut short: {len(content)} bytes are not whole records of {label_bytes + PIXELS}."
            )
        batches.append(content.reshape(-1, label_bytes + PIXELS))
    records = np.concatenate(batches)
    return Arrays(_nhwc(records[:, label_bytes:]), records[:, label_bytes - 1], files[0].parent)


def _read_pickled(files: list[Path], key: str) -> Arrays | None:
    if not all(file.is_file() for file in files):
        return None
    images, labels = [], []
    for file in files:
        content = read_pickled_dict(file)
        data, names = content.get("data"), content.get(key)
        if not isinstance(data, np.ndarray) or data.ndim != 2 or data.shape[1] != PIXELS:
            raise BadInput(f"{file} holds no array 'data' of rows of {PIXELS} bytes.")
        if not isinstance(names, list) or not all(isinstance(name, int) for name in names) or len(names) != len(data):
            raise BadInput(f"{file} holds no list '{key}' of one whole number per image.")
        images.append(data)
        labels.append(np.array(names, np.int64))
    return Arrays(_nhwc(np.concatenate(images)), np.concatenate(labels), files[0].parent)


def _nhwc(rows: np.ndarray[tuple[int, int], np.dtype[np.uint8]]) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return rows.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
