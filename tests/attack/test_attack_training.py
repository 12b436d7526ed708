"""Attacks inside training, as adversarial training makes use of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
import torch
from attack_setups import INFO, coloured, images, trained
from torch import Tensor, nn

from stillproof.attack.base.run import run_attack
from stillproof.attack.cw import CarliniWagner
from stillproof.attack.pgd import PGD
from stillproof.core.components import networks, objectives
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.core.types import Space
from stillproof.nets.build import build_network
from stillproof.plugin import Batch, BatchLoss, Objective, Training, begin_base
from stillproof.train.data import from_images
from stillproof.train.loop import fit
from stillproof.train.model import TrainedModel
from stillproof.train.recipe import Recipe
from stillproof.transforms.space import make_front

EPS = 0.1


@pytest.fixture
def hardened() -> Iterator[str]:
    @objectives.register("hardened", version=1)
    @dataclass(frozen=True)
    class Hardened(Objective):
        """Train on what PGD makes of every batch."""

        eps: float = EPS
        by_image = True

        def begin(self, training: Training) -> BatchLoss:
            base = begin_base("cross-entropy", training)
            attack = PGD(eps=self.eps, steps=3, step=self.eps / 2)

            def loss_of(batch: Batch) -> Tensor:
                pixels = training.to_pixels(batch.images)
                harder = attack.perturb(training.model, pixels, batch.classes, ctx=Context(batch.seeds))
                return base(replace(batch, images=training.model.front(harder)))

            return loss_of

    yield "hardened"
    objectives.remove(__name__)


def test_training_on_attacked_images_makes_a_model_robust(hardened: str) -> None:
    body = build_network(networks.build("convnet-1:width=8"), INFO, Seeds(0).child("network"), "cpu")
    model = TrainedModel(make_front(Space.normalised(INFO)), body)
    recipe = Recipe(epochs=2, batch=64, lr=0.05, objective=hardened)
    fit(model, from_images(coloured("train"), model.front, "cpu"), recipe, Context(Seeds(0)))
    pixels, labels = images(100)
    usual, hard = (run_attack(PGD(eps=EPS), one, pixels, labels, ctx=Context(Seeds(0))) for one in (trained(), model))
    assert hard.robust_accuracy > usual.robust_accuracy + 0.2
    assert hard.clean_accuracy > 0.8


def test_a_batch_in_training_is_attacked_to_the_end_in_the_mode_that_the_model_is_in() -> None:
    pixels, labels = images(8)
    modes: list[bool] = []

    class Watched(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(768, 10)

        def forward(self, points: Tensor) -> Tensor:
            modes.append(self.training)
            assert not self.linear.weight.requires_grad
            logits: Tensor = self.linear(points.flatten(1))
            return logits

    model = Watched().train()
    first, second = (PGD(eps=0.1).perturb(model, pixels, labels, ctx=Context(Seeds(0))) for _ in range(2))
    assert modes == [True] * 20 and model.training and model.linear.weight.requires_grad
    assert torch.equal(first, second) and (first - pixels).abs().max() <= 0.1 + 1e-6
    aimed = PGD(eps=0.1).perturb(model, pixels, labels, target=(labels + 1) % 10, ctx=Context(Seeds(0)))
    with torch.no_grad():
        better = model.linear(aimed.flatten(1)) - model.linear(pixels.flatten(1))
    assert (better[torch.arange(8), (labels + 1) % 10] > better[torch.arange(8), labels]).all()


def test_the_nearest_change_can_be_trained_on_too() -> None:
    pixels, labels = images(8)
    moved = CarliniWagner(c=20, lr=0.05, steps=50).perturb(trained(), pixels, labels, ctx=Context(Seeds(0)))
    with torch.no_grad():
        assert (trained()(moved).argmax(1) != labels).all()
    assert 0 < (moved - pixels).abs().max() < 0.9
