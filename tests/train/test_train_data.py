from __future__ import annotations

from typing import Literal

import pytest
import torch
from torch import Tensor, nn

from stillproof.core.types import Card, Distilled, Hard, Labels, Space, Stored
from stillproof.testing.toy import TOY, toy_images
from stillproof.train.batch import Augmented
from stillproof.train.data import from_distilled, from_images
from stillproof.train.labels import Form
from stillproof.train.train_data import TrainData
from stillproof.transforms.space import make_front

CARD = Card("own", 1, {}, "toy", "toy/train", 1, 0, "none", "none", 0)
FRONT = make_front(Space.normalised(TOY))
ALL = torch.arange(3)


def distilled(space: Space, images: Tensor, decode: Literal["none", "grid2x2"] = "none") -> Distilled:
    return Distilled(images, Hard(ALL), 3, space, CARD, decode)


def targets_of(data: TrainData, form: Form) -> Tensor:
    """Return the targets of all images, none of them augmented."""
    index = torch.arange(len(data))
    return data.source.targets(Augmented(data.read(index), index, 0, 0), form)


def test_sets_in_pixels_pass_the_front() -> None:
    images = torch.rand(3, 1, 8, 8)
    data = from_distilled(distilled(Space("pixels"), images), FRONT, "cpu")
    torch.testing.assert_close(data.read(ALL), (images - 0.4) / 0.25)


@pytest.mark.parametrize("space", [Space.normalised(TOY), Space("zca", ref="abc")])
def test_sets_behind_the_front_are_taken_as_they_are(space: Space) -> None:
    images = torch.randn(3, 1, 8, 8) * 5
    data = from_distilled(distilled(space, images), FRONT, "cpu")
    assert torch.equal(data.read(ALL), images)


def test_images_are_read_by_position() -> None:
    images = torch.randn(3, 1, 8, 8)
    data = from_distilled(distilled(Space.normalised(TOY), images), FRONT, "cpu")
    assert torch.equal(data.read(torch.tensor([2, 0])), images[[2, 0]])
    assert torch.equal(targets_of(data, "values"), torch.eye(3))
    assert len(data) == 3


def test_four_images_in_one_are_taken_apart_at_full_size() -> None:
    quadrant = torch.tensor([[1.0, 3.0], [2.0, 4.0]])  # top left, bottom left, top right, bottom right are 1 to 4
    grid = quadrant.repeat_interleave(4, 0).repeat_interleave(4, 1).expand(3, 1, 8, 8)
    images = grid + 10 * ALL.view(3, 1, 1, 1)
    data = from_distilled(distilled(Space.normalised(TOY), images, "grid2x2"), FRONT, "cpu")
    assert len(data) == 12
    read = data.read(torch.arange(12))
    assert read.shape == (12, 1, 8, 8)
    assert targets_of(data, "classes").tolist() == data.classes.tolist() == [0, 1, 2] * 4
    assert read[:, 0, 3, 3].tolist() == [1, 11, 21, 2, 12, 22, 3, 13, 23, 4, 14, 24]


def test_soft_labels_are_repeated_with_their_images() -> None:
    labels: Labels = Stored("probs", torch.eye(3))
    images = torch.zeros(3, 1, 8, 8)
    grid = Distilled(images, labels, 3, Space.normalised(TOY), CARD, "grid2x2")
    data = from_distilled(grid, FRONT, "cpu")
    assert torch.equal(targets_of(data, "classes"), torch.eye(3).repeat(4, 1))
    assert data.classes.tolist() == [0, 1, 2] * 4


def test_real_images_pass_the_front_batch_by_batch() -> None:
    class Counting(nn.Module):
        seen = 0

        def forward(self, images: Tensor) -> Tensor:
            self.seen += len(images)
            return images - 0.5

    toy, front = toy_images(), Counting()
    data = from_images(toy, front, "cpu")
    assert front.seen == 0
    read = data.read(torch.tensor([5, 1]))
    assert front.seen == 2
    torch.testing.assert_close(read, toy.images[[5, 1]].float() / 255 - 0.5)
    assert torch.equal(targets_of(data, "classes"), toy.labels) and torch.equal(data.classes, toy.labels)
