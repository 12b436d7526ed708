"""Records what a teacher says of images, pass by pass, under the crops, flips and mixes of another recording."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import torch
from torch import Tensor

from stillproof.core.errors import Unsupported
from stillproof.core.types import PerEpoch
from stillproof.train.replay import Replay


def recorded_like(
    recording: PerEpoch, pixels: Tensor, classes: Tensor, teacher: Callable[[Tensor], Tensor]
) -> PerEpoch:
    """Return labels of the same form for other images.

    Args:
        recording: The labels of as many images.
        pixels: (N, C, H, W).
        classes: The class of each, (N,).
        teacher: Gives logits of a batch of pixels; the one that the recording is of.
    """
    if len(pixels) != len(recording.values):
        raise Unsupported(
            f"labels are recorded for {len(recording.values)} images, and there are {len(pixels)} to be compared with."
        )
    replay = Replay(recording)
    logits = []
    for epoch in range(recording.epochs):
        batches = enumerate(replay.order(epoch))
        logits.append(torch.cat([teacher(replay.changed(pixels[order], epoch, number)) for number, order in batches]))
    return dataclasses.replace(recording, values=classes, logits=torch.stack(logits).to(recording.logits.dtype))
