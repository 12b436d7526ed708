"""Another data set at another geometry: its images resized, and grey ones made three equal channels if asked."""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stillproof.core.components import datasets
from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo, ImageSet
from stillproof.data.arrays import Part
from stillproof.data.content import content_id
from stillproof.data.load import source
from stillproof.data.mapped_cache import as_tensor, mapped_images, remembered

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
                "leave channels out, since the only change possible is from 1 to 3."
            )
        if self.size > MOST * base.size:
            raise BadInput(
                f"images of {base.name} have {base.size} pixels a side and would be blurred at {self.size}: "
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
            images = as_tensor(_resized(old, self.size)).expand(-1, info.channels, -1, -1)  # equal channels are one
            return ImageSet(images, base.labels, info, _id_of(info.name, split, images, labels))
        key = hashlib.sha256(base.id.encode()).hexdigest()[:16]
        file = root / "stillproof-cache" / f"resized-{info.name}-{split}-{self.size}-{key}.u8"
        shape = (*old.shape[:2], self.size, self.size)
        found = mapped_images(file, shape, lambda part: _resized(old[part], self.size), "resized images")
        images = as_tensor(found).expand(-1, info.channels, -1, -1)
        note = file.with_suffix(f".{info.channels}.u8")  # one file is there for grey and for three equal channels
        return ImageSet(images, base.labels, info, remembered(note, lambda: _id_of(info.name, split, images, labels)))


def _id_of(name: str, split: Part, images: Tensor, labels: NDArray[np.int64]) -> str:
    return content_id(name, split, images.permute(0, 2, 3, 1).numpy(), labels)


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
