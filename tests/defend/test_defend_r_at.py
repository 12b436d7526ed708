"""R-AT and R-Fast beside their formulas."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from defence_setups import apart, make_batch, make_training, taught_model
from torch import Tensor

from stillproof.attack.base.starts import anywhere
from stillproof.attack.base.streams import Streams
from stillproof.attack.stepping.stopped_pgd import StoppedPGD
from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.defend.base.defence import defence_of
from stillproof.defend.r_at import RobustAT
from stillproof.train.recipe import Recipe


@pytest.mark.parametrize(("epoch", "patience"), [(0, 0), (5, 0), (6, 1), (9, 1), (10, 2)])
def test_r_at_grows_more_patient_after_six_and_ten_elevenths(epoch: int, patience: int) -> None:
    training = make_training(taught_model(), Recipe(epochs=11))
    batch = make_batch(training, epoch=epoch)
    attack = StoppedPGD(eps=0.3, steps=6, patience=patience)
    pixels = training.to_pixels(batch.images)
    ctx = Context(batch.seeds)
    wanted = attack.perturb(training.model.eval(), pixels, batch.classes, ctx=ctx)
    found = RobustAT(eps=0.3, steps=6).harder(training, batch)
    assert torch.allclose(training.to_pixels(found), wanted, atol=1e-6)
    other = replace(attack, patience=patience + 1).perturb(training.model, pixels, batch.classes, ctx=ctx)
    assert apart([other], [wanted]) > 0.01, "and the patience matters here"


def test_r_at_counts_from_the_recipe_that_it_is_published_for() -> None:
    rises = [sum(epoch / 110 >= share for share in (60 / 110, 100 / 110)) for epoch in range(110)]
    assert rises == [0] * 60 + [1] * 40 + [2] * 10


def test_r_at_gives_a_part_of_every_label_to_the_other_classes() -> None:
    training = make_training(taught_model())
    batch = make_batch(training)
    training.model.eval()  # so that nothing changes between two looks
    defence = RobustAT(eps=0.2, smoothing=0.3)
    loss = defence.begin(training)(batch)
    with torch.no_grad():
        said = training.model.body(defence.harder(training, batch)).log_softmax(1)
    wanted = 0.0
    for row, label in zip(said.tolist(), batch.classes.tolist(), strict=True):
        wanted -= sum((0.7 if number == label else 0.15) * value for number, value in enumerate(row)) / len(batch)
    assert isinstance(loss, Tensor) and loss.item() == pytest.approx(wanted, rel=1e-5)
    shares = torch.tensor([[0.6, 0.4, 0.0]])
    mixed = defence.smooth(training, replace(batch, targets=shares))
    assert mixed.tolist() == [pytest.approx([0.7 * 0.6 + 0.06, 0.7 * 0.4 + 0.09, 0.15])] and mixed.sum() == 1
    logits = make_training(training.model, Recipe(objective="kl(temperature=4)"))
    assert defence.smooth(logits, replace(batch, targets=shares)) is shares


@pytest.mark.parametrize("patience", [0, 1])
def test_r_fast_makes_one_large_step_from_a_random_start(patience: int) -> None:
    training, eps = make_training(taught_model()), 0.3
    batch = make_batch(training)
    wrong = batch.positions < 3
    batch = replace(batch, classes=torch.where(wrong, (batch.classes + 1) % 3, batch.classes))
    pixels, model = training.to_pixels(batch.images), training.model.eval()
    streams = Streams(batch.seeds, torch.arange(len(batch)), torch.device("cpu"))
    start = (pixels + anywhere(pixels, "Linf", eps, streams, "start")).clamp(0, 1).requires_grad_()
    logits = model(start)
    (slope,) = torch.autograd.grad(torch.nn.functional.cross_entropy(logits, batch.classes), start)
    moves = 1.25 * eps * slope.sign()
    fooled = logits.argmax(1) != batch.classes
    assert fooled.any() and not fooled.all()
    if patience == 0:
        moves[fooled] = 0
    wanted = (start + moves).clamp(pixels - eps, pixels + eps).clamp(0, 1).detach()
    defence = defence_of(f"r-fast:eps={eps}:patience={patience}")
    found = training.to_pixels(defence.harder(training, batch))
    # A slope of nearly zero may have another sign.
    assert ((found - wanted).abs() > 1e-5).float().mean() < 0.01
    loss = defence.begin(training)(batch)
    harder = training.model.front(wanted)
    assert isinstance(loss, Tensor)
    assert loss.item() == pytest.approx(
        torch.nn.functional.cross_entropy(model.body(harder), batch.targets).item(), rel=1e-3
    )


def test_passes_are_those_of_steps_and_of_the_loss() -> None:
    passes = {name: defence_of(name).passes for name in ("r-at", "r-fast", "r-free", "r-yopo", "r-atta")}
    assert passes == pytest.approx(
        {"r-at": 11, "r-fast": 2, "r-free": 8 * 4 / 3, "r-yopo": 5 + 1 / 3 + 3, "r-atta": 13}
    )
    assert defence_of("r-free:patience=8").passes == 8
    for name in passes:
        assert defence_of(f"{name}:steps=20").passes > passes[name]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("r-at:patience=-1", "patience must not be negative, as -1 is"),
        ("r-at:smoothing=1", "smoothing must be at least 0 and below 1, not 1"),
        ("r-at:steps=0", "steps must be at least 1"),
        ("r-fast:step=0", "step must be above 0"),
        ("r-free:steps=0", "steps must be at least 1, not 0"),
        ("r-free:patience=-2", "patience must not be negative, as -2 is"),
        ("r-yopo:inner=0", "inner must be at least 1, not 0"),
        ("r-yopo:beta=-1", "beta must not be negative"),
        ("r-yopo:patience=-1", "patience must not be negative"),
        ("r-atta:reset=-1", "reset must not be negative, as -1 is"),
        ("r-atta:padding=-1", "padding must not be negative"),
        ("r-att", "did you mean 'r-at"),
    ],
)
def test_what_makes_no_sense_is_refused(name: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        defence_of(name)
