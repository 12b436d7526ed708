"""The images that a network is trained on, with the source of what they are trained towards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from stillproof.train.target_source import TargetSource


@dataclass(frozen=True)
class TrainData:
    """Images by position, in the body's space and on the device.

    Args:
        read: Takes positions (B,) to images (B, C, H, W).
        classes: The class of each image, (N,) int64 on the device.
        num_classes: Number of classes.
        source: Says what each batch is trained towards.
    """

    read: Callable[[Tensor], Tensor]
    classes: Tensor
    num_classes: int
    source: TargetSource

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self.classes)
