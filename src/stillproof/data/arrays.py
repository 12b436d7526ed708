"""What every reader hands over: images and labels as arrays, checked once and turned into an ImageSet."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from stillproof.core.errors import BadInput, DataMissing
from stillproof.core.types import DataInfo, ImageSet
from stillproof.data.content import content_id, warn_unless_known

Part = Literal["train", "test"]


@dataclass(frozen=True, slots=True)
class Arrays:
    """One split as it was read; ``path`` says from where, for messages."""

    images: NDArray[np.uint8]  # (N, H, W, C)
    labels: NDArray[np.integer[Any]]  # (N,)
    path: Path


def first_found(name: str, root: Path, readers: Iterable[Callable[[], Arrays | None]]) -> Arrays:
    """Return what the first reader finds; a reader whose files are not there returns None.

    Raises:
        DataMissing: No reader found its files.
    """
    for read in readers:
        found = read()
        if found is not None:
            return found
    raise DataMissing(
        f"data set {name} is not in {root}: run `stillproof data get {name}`, "
        f"or put its official files or {name}.npz there."
    )


def image_set(info: DataInfo, split: Part, arrays: Arrays) -> ImageSet:
    """Check ``arrays`` against ``info`` and return them as an ImageSet named by its content."""
    import torch

    check(info, arrays)
    labels = arrays.labels.astype(np.int64)
    data_id = content_id(info.name, split, arrays.images, labels)
    warn_unless_known(data_id, len(labels))
    images = np.array(arrays.images.transpose(0, 3, 1, 2), order="C")  # a copy: what was read may be read-only
    return ImageSet(torch.from_numpy(images), torch.from_numpy(labels), info, data_id)


def check(info: DataInfo, arrays: Arrays) -> None:
    """Refuse arrays that cannot be the data set that ``info`` describes."""
    images, labels, path = arrays.images, arrays.labels, arrays.path
    shape = (info.size, info.size, info.channels)
    if images.dtype != np.uint8 or images.ndim != 4 or images.shape[1:] != shape:
        raise BadInput(
            f"{path}: {info.name} needs uint8 images of shape (N, {', '.join(map(str, shape))}), "
            f"but these are {images.dtype} of shape {images.shape}."
        )
    if labels.dtype.kind not in "iu" or labels.shape != (len(images),) or len(images) == 0:
        raise BadInput(
            f"{path}: {info.name} needs one whole-number label per image, but there are {len(images)} images "
            f"and {labels.dtype} labels of shape {labels.shape}."
        )
    low, high = int(labels.min()), int(labels.max())
    if low < 0 or high >= info.num_classes:
        bad = low if low < 0 else high
        raise BadInput(f"{path}: label {bad} is outside 0 to {info.num_classes - 1}, the classes of {info.name}.")
