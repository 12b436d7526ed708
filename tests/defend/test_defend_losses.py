"""Defences beside their papers' formulas, written out again."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.defend.base.defence import Defence, defence_of
from stillproof.defend.mart import Mart
from stillproof.defend.trs import Trs
from stillproof.testing.check_training import toy_model
from stillproof.testing.toy import toy_images
from stillproof.train.batch import Batch
from stillproof.train.data import from_images
from stillproof.train.recipe import Recipe
from stillproof.train.training import Training

IMAGES = 8


def loss_of(defence: Defence) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the loss of a batch, logits of its clean and of its attacked images, and its classes."""
    model = toy_model().eval()
    data = from_images(toy_images(), model.front, "cpu")
    training = Training(model, data, Recipe(), Context(Seeds(0)))
    classes, positions = data.classes[:IMAGES], torch.arange(IMAGES)
    batch = Batch(data.read(positions), classes, classes, positions, 0, Seeds(0).child("batch"))
    loss = defence.begin(training)(batch)
    assert isinstance(loss, Tensor)
    with torch.no_grad():
        return loss.detach(), model.body(batch.images), model.body(defence.harder(training, batch)), classes


def cross_entropy(logits: Tensor, classes: Tensor) -> Tensor:
    return torch.stack([-row.log_softmax(0)[int(label)] for row, label in zip(logits, classes, strict=True)]).mean()


def divergences(clean: Tensor, attacked: Tensor) -> Tensor:
    first, second = clean.softmax(1), attacked.softmax(1)
    return (first * (first / second).log()).sum(1)


def test_pgd_at_trains_on_attacked_images_alone_or_beside_clean_ones() -> None:
    loss, clean, attacked, classes = loss_of(defence_of("pgd-at:eps=0.2"))
    assert loss == pytest.approx(cross_entropy(attacked, classes).item(), rel=1e-5)
    assert loss > cross_entropy(clean, classes)
    both, clean, attacked, classes = loss_of(defence_of("pgd-at-loss:eps=0.2:attacked=0.25"))
    wanted = 0.25 * cross_entropy(attacked, classes) + 0.75 * cross_entropy(clean, classes)
    assert both == pytest.approx(wanted.item(), rel=1e-5)


def test_trades_adds_the_divergence_from_clean_answers() -> None:
    loss, clean, attacked, classes = loss_of(defence_of("trades:eps=0.2:beta=3"))
    apart = divergences(clean, attacked).mean()
    assert apart > 1e-4
    assert loss == pytest.approx((cross_entropy(clean, classes) + 3 * apart).item(), rel=1e-4)


def test_mart_boosts_what_is_wrong() -> None:
    loss, clean, attacked, classes = loss_of(defence_of("mart:eps=0.2"))
    wanted = 0.0
    for one, other, label in zip(clean.softmax(1), attacked.softmax(1), classes.tolist(), strict=True):
        best_wrong = max(value for number, value in enumerate(other.tolist()) if number != label)
        apart = float((one * (one / other).log()).sum())
        wanted += -math.log(other[label]) - math.log(1.0001 - best_wrong) + 5 * apart * (1 - float(one[label]))
    assert loss == pytest.approx(wanted / IMAGES, rel=1e-4)
    assert Mart(weight=0.0).of_logits(clean, attacked, classes) < loss


def test_trs_counts_likeness_of_directions_and_length() -> None:
    one, other = torch.tensor([[3.0, 4.0], [1.0, 0.0]]), torch.tensor([[-3.0, -4.0], [0.0, 2.0]])
    alike, longest = (1 + 0) / 2, (5 + 2) / 2  # opposite directions are alike: an attack on one moves the other too
    assert Trs(diversity=10.0, smoothness=1.0).of_gradients([one, other]) == pytest.approx(10 * alike + longest)
    loss, clean, _, classes = loss_of(Trs(eps=0.1, diversity=0.0, smoothness=0.0))
    assert loss == pytest.approx(cross_entropy(clean, classes).item(), rel=1e-5)
    assert loss_of(Trs(eps=0.1))[0] > loss


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("pgd-at:eps=0", "eps must be above 0"),
        ("pgd-at:steps=0", "steps must be at least 1"),
        ("pgd-at-loss:attacked=0", "attacked must be above 0"),
        ("trades:beta=-1", "beta must not be negative"),
        ("mart:weight=-1", "weight must not be negative"),
        ("trs:examples=1", "examples must be at least 2"),
        ("trs:smoothness=-1", "must not be negative"),
        ("pgd-ta", "did you mean 'pgd-at'"),
    ],
)
def test_what_makes_no_sense_is_refused(name: str, says: str) -> None:
    from stillproof.core.errors import BadInput

    with pytest.raises(BadInput, match=says):
        defence_of(name)


def test_passes_grow_with_steps() -> None:
    for name in ("pgd-at", "pgd-at-loss", "trades", "mart", "trs"):
        defence = defence_of(name)
        assert defence.passes >= defence.steps + 1
        assert replace(defence, steps=20).passes > defence.passes
