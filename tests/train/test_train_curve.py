from __future__ import annotations

import torch
from torch import Tensor, nn

from stillproof.nets.body import Body
from stillproof.testing.toy import toy_images
from stillproof.train.curve import Curve
from stillproof.train.model import TrainedModel
from stillproof.transforms.front import Pixels


class Scripted(Body):
    """Predicts the labels it is told, and class 0 for the rest; its one weight says how often it was told."""

    def __init__(self) -> None:
        super().__init__()
        self.told = nn.Parameter(torch.zeros(1))
        self.right = {"test": 0, "heldout": 0}

    def forward(self, images: Tensor) -> Tensor:
        part = "test" if torch.equal(images, TEST.read(slice(None))) else "heldout"
        labels = (TEST if part == "test" else HELDOUT).labels
        guesses = torch.where(torch.arange(len(labels)) < self.right[part], labels, (labels + 1) % 3)
        return nn.functional.one_hot(guesses, 3).float()


TEST, HELDOUT = toy_images(1), toy_images(2)


def measured(test: list[int], heldout: list[int] | None) -> Curve:
    """Measure a model that gets so many test and held-out images right, every ten epochs."""
    body = Scripted()
    model = TrainedModel(Pixels(), body)
    curve = Curve(TEST, None if heldout is None else HELDOUT, "cpu")
    for point, right in enumerate(test):
        body.right = {"test": right, "heldout": heldout[point] if heldout else 0}
        with torch.no_grad():
            body.told.add_(1)
        curve.measure(model, 10 * (point + 1))
    return curve


def test_every_rule_chooses_its_own_epoch() -> None:
    curve = measured([30, 36, 20, 10], [12, 20, 24, 6])
    assert curve.choices() == {"last": 40, "oracle": 20, "heldout": 30}


def test_equal_epochs_lose_to_the_earliest() -> None:
    curve = measured([10, 36, 36, 36], [5, 5, 5, 5])
    assert curve.choices() == {"last": 40, "oracle": 20, "heldout": 10}


def test_without_held_out_images_nothing_is_chosen_by_them() -> None:
    assert measured([1, 3, 2], None).choices() == {"last": 30, "oracle": 20}


def test_weights_are_kept_for_chosen_epochs_alone_and_are_those_of_their_epoch() -> None:
    curve = measured([30, 36, 20, 10], [12, 20, 24, 6])
    assert {epoch: weights["told"].item() for epoch, weights in curve.weights.items()} == {20: 2, 30: 3, 40: 4}
    assert set(measured([1, 2, 3, 4], [1, 2, 3, 4]).weights) == {40}


def test_every_prediction_is_kept() -> None:
    curve = measured([0, 36, 18], None)
    wrong = (TEST.labels + 1) % 3
    assert torch.stack(curve.predictions).dtype == torch.int16
    assert torch.equal(curve.predictions[0].long(), wrong)
    assert torch.equal(curve.predictions[1].long(), TEST.labels)
    assert curve.test_accuracy == [0.0, 1.0, 0.5]


def test_a_curve_goes_on_from_its_state() -> None:
    whole = measured([30, 36, 20], [12, 20, 24])
    resumed = Curve(TEST, HELDOUT, "cpu")
    resumed.load_state_dict(measured([30, 36], [12, 20]).state_dict())
    model = TrainedModel(Pixels(), Scripted())
    assert isinstance(model.body, Scripted)
    model.body.right = {"test": 20, "heldout": 24}
    resumed.measure(model, 30)
    assert resumed.choices() == whole.choices()
    assert resumed.test_accuracy == whole.test_accuracy
    assert resumed.weights.keys() == whole.weights.keys()
