"""Training images as a network's body sees them: distilled ones as they are, real ones through the front."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from stillproof.core.types import Distilled, Hard, ImageSet, Labels, PerEpoch
from stillproof.train.replay import Replay
from stillproof.train.target_source import LabelTargets, TargetSource
from stillproof.train.train_data import TrainData
from stillproof.transforms.decode import decode_images, decode_labels


def from_distilled(distilled: Distilled, front: nn.Module, device: str) -> TrainData:
    """Return a distilled set, held on the device; sets in pixels pass the front, others have passed it already."""
    images = decode_images(distilled.images, distilled.decode).to(device)
    labels = decode_labels(distilled.labels, distilled.decode)
    if distilled.space.kind == "pixels":
        with torch.no_grad():
            images = front(images)

    def read(index: Tensor) -> Tensor:
        return images[index.to(images.device)]

    source = source_of(labels, distilled.num_classes, device)
    return TrainData(read, labels.classes.to(device), distilled.num_classes, source)


def source_of(labels: Labels, num_classes: int, device: str) -> TargetSource:
    """Return the source that gives a set's labels."""
    if isinstance(labels, PerEpoch):
        return Replay(labels)
    return LabelTargets(labels, num_classes, device)


def from_images(data: ImageSet, front: nn.Module, device: str) -> TrainData:
    """Return real images; they stay uint8 where they are and become float a batch at a time."""

    def read(index: Tensor) -> Tensor:
        with torch.no_grad():
            batch: Tensor = front(data.read(index.to(data.images.device), device))
        return batch

    source = LabelTargets(Hard(data.labels), data.num_classes, device)
    return TrainData(read, data.labels.to(device), data.num_classes, source)
