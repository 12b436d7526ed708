"""R-YOPO beside the published steps, with the first layer and the others written out."""

from __future__ import annotations

import pytest
import torch
from defence_setups import make_batch, make_training, taught_model
from torch import Tensor
from torch.nn import functional as F

from stillproof.attack.base.crafting import Crafting
from stillproof.attack.stepping.first_layer_steps import FirstLayerSteps
from stillproof.defend.base.defence import defence_of
from stillproof.defend.r_yopo import RobustYOPO
from stillproof.nets.convnet import ConvNetBody
from stillproof.train.model import TrainedModel

EPS, STEP = 0.2, 0.03


def tail(body: ConvNetBody, maps: Tensor) -> Tensor:
    """Return the logits of what the first convolution gave."""
    for layer in list(body.layers)[1:]:
        maps = layer(maps)
    logits: Tensor = body.classifier(maps.flatten(1))
    return logits


def by_hand(
    model: TrainedModel, pixels: Tensor, noise: Tensor, classes: Tensor, passes: int, inner: int, patience: int
) -> Tensor:
    """Return attacked pixels: the Hamiltonian of the first layer is climbed, its adjoint renewed once a pass."""
    assert isinstance(model.body, ConvNetBody)
    first = model.body.layers[0]
    change = (pixels + 0.001 * noise).clamp(0, 1) - pixels
    clean = model(pixels).softmax(1).detach()
    fooled = torch.zeros(len(pixels))
    for _ in range(passes):
        maps = first(model.front(pixels + change)).detach().requires_grad_()
        logits = tail(model.body, maps.clone())
        fooled += (logits.argmax(1) != classes).float()
        divergence = (clean * (clean.log() - logits.log_softmax(1))).sum()
        (adjoint,) = torch.autograd.grad(divergence, maps)
        for _ in range(inner):
            free = change.clone().requires_grad_()
            hamiltonian = (first(model.front(pixels + free)) * adjoint).sum()
            (slope,) = torch.autograd.grad(hamiltonian, free)
            moved = (change + STEP * slope.sign()).clamp(-EPS, EPS)
            moved = (pixels + moved).clamp(0, 1) - pixels
            change = torch.where((fooled <= patience).view(-1, 1, 1, 1), moved, change)
    return pixels + change


@pytest.mark.parametrize(("passes", "inner", "patience"), [(5, 3, 5), (3, 1, 3), (2, 10, 0)])
def test_steps_are_those_of_the_paper(monkeypatch: pytest.MonkeyPatch, passes: int, inner: int, patience: int) -> None:
    training = make_training(taught_model())
    batch = make_batch(training)
    pixels, model = training.to_pixels(batch.images), training.model
    noise = torch.randn(pixels.shape, generator=batch.seeds.torch())

    def start(_: FirstLayerSteps, crafting: Crafting) -> Tensor:
        return crafting.limits.project(crafting.images, crafting.images + 0.001 * noise)

    monkeypatch.setattr(FirstLayerSteps, "start", start)
    defence = defence_of(f"r-yopo:eps={EPS}:step={STEP}:steps={passes}:inner={inner}:patience={patience}")
    model.train()
    found = training.to_pixels(defence.harder(training, batch))
    assert model.training
    wanted = by_hand(model.eval(), pixels, noise, batch.classes, passes, inner, patience)
    # A slope of nearly zero may have another sign.
    assert ((found - wanted).abs() > 1e-4).float().mean() < 0.01
    other = by_hand(model, pixels, noise, batch.classes, passes, inner + 1, patience)
    assert ((found - other).abs() > 1e-4).float().mean() > 0.05


def test_its_loss_is_that_of_trades() -> None:
    training = make_training(taught_model())
    batch = make_batch(training)
    training.model.eval()
    defence = defence_of(f"r-yopo:eps={EPS}:beta=2")
    loss = defence.begin(training)(batch)
    with torch.no_grad():
        clean, attacked = training.model.body(batch.images), training.model.body(defence.harder(training, batch))
    one, other = clean.softmax(1), attacked.softmax(1)
    wanted = F.cross_entropy(clean, batch.classes) + 2 * (one * (one / other).log()).sum(1).mean()
    assert isinstance(loss, Tensor) and loss.item() == pytest.approx(wanted.item(), rel=1e-4)
    assert defence_of("r-yopo") == RobustYOPO(steps=5, inner=3, beta=1.0)
