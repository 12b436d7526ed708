"""R-Free beside the same written out, and what it carries on through stops."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from defence_setups import apart, fitted, make_batch, make_model, make_training, weights_of
from torch import Tensor
from torch.nn import functional as F

from stillproof.core.errors import BadInput
from stillproof.defend.base.defence import defence_of
from stillproof.defend.r_free import RobustFree
from stillproof.testing.toy import toy_images
from stillproof.train.model import TrainedModel
from stillproof.train.recipe import Recipe
from stillproof.train.target_source import TargetSource

EPS = 0.1
# Three batches of 10 images, and one of 6.
RECIPE = Recipe(epochs=2, batch=10, lr=0.05, shuffle=False)


def by_hand(replays: int, patience: int, *, carries: bool = True) -> TrainedModel:
    """Return a model after free adversarial training in pixels, in the order of the set."""
    model, data = make_model(), toy_images()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    change = torch.zeros(10, 1, 8, 8)
    for start in [0, 10, 20, 30] * 2:
        images, classes = data.read(slice(start, start + 10)), data.labels[start : start + 10]
        own = (change if carries else torch.zeros_like(change))[: len(images)]
        times = [0] * len(images)
        for _ in range(replays):
            seen = (images + own).clamp(0, 1).requires_grad_()
            with torch.no_grad():
                said = model.eval()((images + own).clamp(0, 1)).argmax(1)
            loss = F.cross_entropy(model.train()(seen), classes)
            optimiser.zero_grad()
            torch.autograd.backward(loss)
            optimiser.step()
            assert seen.grad is not None
            for row in range(len(images)):
                times[row] += int(said[row]) != int(classes[row])
                if times[row] <= patience:
                    moved = (seen[row] + EPS * seen.grad[row].sign()).detach()
                    own[row] = moved.clamp(images[row] - EPS, images[row] + EPS).clamp(0, 1) - images[row]
                else:
                    own[row] = seen[row].detach() - images[row]
    return model


@pytest.mark.parametrize(("replays", "patience"), [(4, 4), (4, 0), (3, 1)])
def test_every_gradient_moves_weights_and_images_and_the_next_batch_goes_on(replays: int, patience: int) -> None:
    found = weights_of(fitted(RobustFree(eps=EPS, steps=replays, patience=patience), RECIPE))
    assert apart(found, weights_of(by_hand(replays, patience))) < 1e-4
    assert apart(found, weights_of(by_hand(replays, patience, carries=False))) > 1e-3
    assert apart(found, weights_of(by_hand(replays, replays - patience))) > 1e-3, "and the patience matters here"


def test_a_batch_has_one_loss_for_each_replay() -> None:
    training = make_training(make_model())
    losses = RobustFree(steps=5).begin(training)(make_batch(training))
    assert not isinstance(losses, Tensor)
    count = 0
    for loss in losses:
        torch.autograd.backward(loss)
        count += 1
    assert count == 5
    with pytest.raises(BadInput, match="parts = 1 is needed"):
        fitted(RobustFree(steps=2), Recipe(epochs=1, parts=2))


class Recorded(TargetSource):
    """Targets that belong to batches of their own."""

    def order(self, epoch: int) -> list[Tensor]:
        return [torch.arange(14), torch.arange(14, 36)]


def test_recorded_batches_have_room_and_cannot_be_cropped_again() -> None:
    training = make_training(make_model(), Recipe(batch=4))
    training = replace(training, data=replace(training.data, source=Recorded()))
    RobustFree().begin(training)
    (kept,) = training.kept.values()
    assert kept.shape == (22, 1, 8, 8)
    with pytest.raises(BadInput, match="a set without recorded passes"):
        defence_of("r-atta").begin(training)


@pytest.mark.parametrize("name", ["r-free:steps=3:eps=0.1", "r-atta:steps=2:eps=0.1:padding=2:reset=4"])
@pytest.mark.parametrize("stop_at", [7, 10])  # within the second pass, and at the start of the third
def test_a_run_that_was_stopped_goes_on_to_the_same_bytes(tmp_path: Path, name: str, stop_at: int) -> None:
    defence, recipe = defence_of(name), Recipe(epochs=3, batch=10, lr=0.05)
    assert fitted(defence, recipe, scratch=tmp_path, stop_at=stop_at) is None
    resumed = weights_of(fitted(defence, recipe, scratch=tmp_path))
    straight = weights_of(fitted(defence, recipe))
    assert all(torch.equal(one, other) for one, other in zip(resumed, straight, strict=True))
