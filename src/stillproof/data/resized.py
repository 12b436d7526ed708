"""Another data set at another geometry: its images resized, and grey ones made three equal channels if asked."""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stillproof.core.components import datasets
from stillproof.core.errors import BadInput, Corrupt, StoreError
from stillproof.core.types import DataInfo, ImageSet
from stillproof.data.arrays import Part
from stillproof.data.content import content_id
from stillproof.data.load import source
from stillproof.data.picture_cache import BATCH, remembered

if TYPE_CHECKING:
    from torch import Tensor

IN_MEMORY = 200_000_000  # bytes; what takes more is mapped from a file
MOST = 8  # times; MNIST at the 224 pixels of networks for ImageNet is 8 times as large

Stack = NDArray[np.uint8]  # (N, C, H, W)


@datasets.register("resized", version=1)
@dataclass(frozen=True)
class Resized:
    """Another data set at another size, resized as torchvision resizes 8-bit pictures: bilinear, with antialias.

    It keeps the name of the other one, so that methods take its published parameters, and its mean and std.

    Args:
        of: The other data set, by name, by reference, as in ``image_folder(path=DIR,size=64)``, or by folder.
        size: Images become squares of this many pixels.
        channels: 3 makes three equal channels of grey; 0 leaves channels as they are.
    """

    of: str
    size: int
    channels: int = 0
    placing: ClassVar[str] = "it is made of the data set that it is `of`: get that one"

    def __post_init__(self) -> None:
        """Refuse what no picture can have."""
        if self.size < 1:
            raise ValueError(f"size {self.size} must be positive")

    @property
    def info(self) -> DataInfo:
        """Return the description of the other data set, with this geometry.

        Raises:
            BadInput: That data set cannot have this geometry.
        """
        base = source(self.of).info
        channels = self.channels or base.channels
        if channels != base.channels and (base.channels, channels) != (1, 3):
            raise BadInput(
                f"the channels of {base.name} cannot be changed from {base.channels} to {channels}: "
                "leave channels out, since all that can be done is to make 3 of 1."
            )
        if self.size > MOST * base.size:
            raise BadInput(
                f"images of {base.name} have {base.size} pixels a side and would be blurs at {self.size}: "
                f"ask for at most {MOST * base.size}."
            )
        repeat = channels // base.channels
        return dataclasses.replace(
            base, channels=channels, size=self.size, mean=base.mean * repeat, std=base.std * repeat
        )

    def load(self, root: Path, split: Part) -> ImageSet:
        """Read and resize the other data set; many bytes come from a file in ``root``/stillproof-cache, made once."""
        info = self.info
        base = source(self.of).load(root, split)
        if base.images.is_floating_point():
            raise BadInput(f"images of {info.name} are floats, and only 8-bit ones can be resized as pictures are.")
        labels = base.labels.numpy()
        old: Stack = base.images.numpy()
        if len(old) * old.shape[1] * self.size**2 <= IN_MEMORY:
            images = _as_channels(_resized(old, self.size), info.channels)
            return ImageSet(images, base.labels, info, _id_of(info.name, split, images, labels))
        key = hashlib.sha256(base.id.encode()).hexdigest()[:16]
        file = root / "stillproof-cache" / f"resized-{info.name}-{split}-{self.size}-{key}.u8"
        images = _as_channels(_from_file(old, self.size, file), info.channels)
        note = file.with_suffix(f".{info.channels}.u8")  # one file is there for grey and for three equal channels
        return ImageSet(images, base.labels, info, remembered(note, lambda: _id_of(info.name, split, images, labels)))


def _id_of(name: str, split: Part, images: Tensor, labels: NDArray[np.int64]) -> str:
    return content_id(name, split, images.permute(0, 2, 3, 1).numpy(), labels)


def _as_channels(images: Stack, channels: int) -> Tensor:
    """Return images as a tensor; equal channels are one in memory."""
    import torch

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The given NumPy array is not writable")  # the largest are read-only
        found = torch.from_numpy(images)
    return found.expand(-1, channels, -1, -1)


def _resized(images: Stack, size: int) -> Stack:
    """Return images of (N, C, H, W) as (N, C, size, size).

    Each channel by itself, since Pillow's integers are the same then. Torch's own interpolation is not the same: its
    8-bit results are up to two levels away.
    """
    planes = images.reshape(-1, *images.shape[2:])
    resized = np.empty((len(planes), size, size), np.uint8)
    for plane, into in zip(planes, resized, strict=True):
        into[:] = np.asarray(Image.fromarray(plane).resize((size, size), Image.Resampling.BILINEAR))
    return resized.reshape(*images.shape[:2], size, size)


def _from_file(images: Stack, size: int, file: Path) -> Stack:
    """Return resized images as a memory map of ``file``, which is built if it is not there."""
    shape = (*images.shape[:2], size, size)
    if not file.exists():
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            _build(images, size, file)
        except OSError as error:
            raise StoreError(
                f"the {np.prod(shape):,} bytes of resized images in {file} cannot be written: {error}."
            ) from error
    if file.stat().st_size != np.prod(shape):
        raise Corrupt(f"{file} holds {file.stat().st_size} bytes instead of {np.prod(shape)}: delete it and try again.")
    return _mapped(file, shape)


def _mapped(file: Path, shape: tuple[int, ...]) -> Stack:
    """Map a file copy on write: torch wants writable memory, and the file must not change."""
    try:
        return np.memmap(file, np.uint8, mode="c", shape=shape)
    except OSError as error:
        if error.errno != errno.ENOMEM:
            raise
    # Linux promises no copy of what is larger than all its memory; what cannot be written needs no promise.
    return np.memmap(file, np.uint8, mode="r", shape=shape)


def _build(images: Stack, size: int, file: Path) -> None:
    """Resize into a .partial file, whose whole images are kept by the next build if this one is stopped.

    Two builds at once write the same bytes to the same places.
    """
    record = images.shape[1] * size * size
    partial = file.with_suffix(".partial")
    partial.touch()
    with partial.open("r+b") as out:
        done = partial.stat().st_size // record
        out.seek(done * record)
        for start in range(done, len(images), BATCH):
            out.write(_resized(images[start : start + BATCH], size).tobytes())
            out.flush()
        os.fsync(out.fileno())
    if file.exists():  # another process was faster
        partial.unlink(missing_ok=True)
    else:
        partial.replace(file)
