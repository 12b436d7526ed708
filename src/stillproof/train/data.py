"""Training images as a network's body sees them: distilled ones as they are, real ones through the front."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from stillproof.core.types import Distilled, Hard, ImageSet, PerEpoch
from stillproof.train.labels import targets
from stillproof.train.replay import Replay
from stillproof.transforms.decode import decode_images, decode_labels


@dataclass(frozen=True)
class TrainData:
    """Images by position, in the body's space and on the device, with the targets of a loss, or a recorded run."""

    read: Callable[[Tensor], Tensor]  # positions (B,) -> images (B, C, H, W)
    targets: Tensor  # (N,) or (N, classes)
    num_classes: int
    replay: Replay | None = None

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self.targets)


def from_distilled(distilled: Distilled, front: nn.Module, loss: str, device: str) -> TrainData:
    """Return a distilled set, held on the device; sets in pixels pass the front, others are already behind it."""
    images = decode_images(distilled.images, distilled.decode).to(device)
    labels = decode_labels(distilled.labels, distilled.decode)
    if distilled.space.kind == "pixels":
        with torch.no_grad():
            images = front(images)
    goal = targets(labels, loss, distilled.num_classes).to(device)

    def read(index: Tensor) -> Tensor:
        return images[index.to(images.device)]

    replay = Replay(labels, read, device) if isinstance(labels, PerEpoch) else None
    return TrainData(read, goal, distilled.num_classes, replay)


def from_images(data: ImageSet, front: nn.Module, loss: str, device: str) -> TrainData:
    """Return real images; they stay uint8 where they are and become float a batch at a time."""
    goal = targets(Hard(data.labels), loss, data.num_classes).to(device)

    def read(index: Tensor) -> Tensor:
        with torch.no_grad():
            batch: Tensor = front(data.read(index.to(data.images.device), device))
        return batch

    return TrainData(read, goal, data.num_classes)
