from __future__ import annotations

import dataclasses

import pytest
import torch
from torch import Tensor

from stillproof.core.errors import Unsupported
from stillproof.core.types import PerEpoch
from stillproof.train.record import recorded_like
from stillproof.train.replay import Replay

COUNT, BATCH, EPOCHS = 6, 4, 2


def teacher(pixels: Tensor) -> Tensor:
    """Logits that tell the halves of an image apart, so that flips and mixes change them."""
    return torch.stack([pixels[..., :2].mean((1, 2, 3)), pixels[..., 2:].mean((1, 2, 3))], 1)


def recording() -> PerEpoch:
    draw = torch.Generator().manual_seed(0)
    return PerEpoch(
        values=torch.arange(COUNT) % 2,
        order=torch.stack([torch.randperm(COUNT, generator=draw) for _ in range(EPOCHS)]).int(),
        coords=torch.tensor([0.0, 0.0, 1.0, 1.0]).repeat(EPOCHS, COUNT, 1),
        flip=torch.rand(EPOCHS, COUNT, generator=draw) < 0.5,
        mix_index=torch.tensor([1, 0, 3, 2, 1, 0]).repeat(EPOCHS, 1).int(),
        mix_lambda=torch.full((EPOCHS, 2), 0.7),
        mix_box=torch.zeros(EPOCHS, 2, 4, dtype=torch.int32),
        logits=torch.zeros(EPOCHS, COUNT, 2),
        batch=BATCH,
    )


def test_the_teacher_sees_other_images_as_the_recording_would_show_them() -> None:
    pixels, labels = torch.rand(COUNT, 1, 4, 4, generator=torch.Generator().manual_seed(1)), recording()
    made = recorded_like(labels, pixels, torch.ones(COUNT).long(), teacher)
    assert torch.equal(made.values, torch.ones(COUNT).long()) and torch.equal(made.order, labels.order)
    replay = Replay(made)
    for epoch in range(EPOCHS):
        seen = [replay.changed(pixels[order], epoch, number) for number, order in enumerate(replay.order(epoch))]
        assert torch.allclose(torch.cat([teacher(batch) for batch in seen]), made.logits[epoch])
    assert not torch.allclose(made.logits[0], teacher(pixels)[labels.order[0].long()])


def test_a_recording_of_other_images_than_there_are_is_no_pattern() -> None:
    labels = dataclasses.replace(recording())
    with pytest.raises(Unsupported, match="recorded for 6 images, and there are 5"):
        recorded_like(labels, torch.rand(5, 1, 4, 4), torch.zeros(5).long(), teacher)
