"""A batch on its way into the network: as it was augmented, and with what it is trained towards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from torch import Tensor

from stillproof.core.seeds import Seeds

Mix = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Augmented:
    """Images after augmentation.

    Args:
        images: The images, (B, C, H, W), in the space of the network's body.
        positions: Where in the set each image is, (B,) int64 on the CPU.
        epoch: The pass, from 0.
        number: The batch's number in its pass, from 0.
        mix: Takes what the images were before, (B, K), to what they are after they were mixed with each other; None if
            they were not.
    """

    images: Tensor
    positions: Tensor
    epoch: int
    number: int
    mix: Mix | None = None


@dataclass(frozen=True)
class Batch:
    """What an objective is asked about.

    Args:
        images: The images as augmented, (B, C, H, W), in the space of the network's body.
        targets: What they are trained towards, in the form that the objective wants.
        classes: The class of each image before it was mixed with others, (B,) int64.
        positions: Where in the set each image is, (B,) int64 on the CPU.
        epoch: The pass, from 0.
        seeds: The batch's own random streams.
    """

    images: Tensor
    targets: Tensor
    classes: Tensor
    positions: Tensor
    epoch: int
    seeds: Seeds

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self.images)

    def split(self, size: int) -> Iterator[Batch]:
        """Yield parts of ``size`` images, the last one perhaps smaller, with random streams of their own.

        A batch of no more images is its own and only part.
        """
        if len(self) <= size:
            yield self
            return
        for number, start in enumerate(range(0, len(self), size)):
            part = slice(start, start + size)
            yield Batch(
                self.images[part],
                self.targets[part],
                self.classes[part],
                self.positions[part],
                self.epoch,
                self.seeds.child("part", number),
            )
