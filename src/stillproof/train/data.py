"""Training images as a network's body sees them: distilled ones as they are, real ones through the front."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from stillproof.core.types import Distilled, Hard, ImageSet, PerEpoch, Stored, Taught
from stillproof.train.replay import Replay
from stillproof.train.target_source import LabelTargets, TargetSource
from stillproof.train.teachers import Teacher, TeacherTargets
from stillproof.train.train_data import TrainData
from stillproof.transforms.decode import decode_images, decode_labels
from stillproof.transforms.front import Front


def from_distilled(distilled: Distilled, front: nn.Module, device: str, teachers: Sequence[Teacher] = ()) -> TrainData:
    """Return a distilled set, held on the device; sets in pixels pass the front, others have passed it already.

    Labels that teachers give need these ``teachers``.
    """
    images = decode_images(distilled.images, distilled.decode).to(device)
    labels = decode_labels(distilled.labels, distilled.decode)
    if distilled.space.kind == "pixels":
        with torch.no_grad():
            images = front(images)

    def read(index: Tensor) -> Tensor:
        return images[index.to(images.device)]

    if isinstance(labels, Taught):
        assert isinstance(front, Front) and teachers, "there is no way back to pixels, or nobody to ask"
        source: TargetSource = TeacherTargets(teachers, front)
    else:
        source = source_of(labels, distilled.num_classes, device)
    return TrainData(read, labels.classes.to(device), distilled.num_classes, source)


def source_of(labels: Hard | Stored | PerEpoch, num_classes: int, device: str) -> TargetSource:
    """Return the source that gives labels which a set has in itself."""
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
