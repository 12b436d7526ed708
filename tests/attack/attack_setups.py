"""A small trained network and its images, which the tests of attacks share."""

from __future__ import annotations

import functools
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.attack.base.attack import Attack, attack_of
from stillproof.attack.base.outcome import Outcome
from stillproof.attack.base.rules import Rules
from stillproof.attack.base.run import run_attack
from stillproof.attack.base.targets import Policy
from stillproof.core.components import networks
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.core.types import DataInfo, ImageSet, Space
from stillproof.data.load import data_root, load
from stillproof.nets.build import build_network
from stillproof.train.data import from_images
from stillproof.train.loop import fit
from stillproof.train.model import TrainedModel
from stillproof.train.recipe import Recipe
from stillproof.transforms.space import make_front

INFO = DataInfo("colour-digits", 3, 16, 10, (0.3, 0.2, 0.25), (0.35, 0.25, 0.3), "")
TINT = (1.0, 0.7, 0.85)
HALF = 0.06  # an eps that about half of the images survive, in steps of the gradient's sign


@functools.cache
def coloured(split: Literal["train", "test"]) -> ImageSet:
    """Return the digits in colour, at 16 pixels: some libraries know no other images."""
    data = load("digits", split, data_root())
    pixels = F.interpolate(data.read(slice(None)), scale_factor=2, mode="bilinear")
    return ImageSet(pixels * torch.tensor(TINT).view(1, 3, 1, 1), data.labels, INFO, f"colour-digits/{split}")


@functools.cache
def trained(network: str = "convnet-2:width=16", seed: int = 0) -> TrainedModel:
    """Return a network that has learned the digits, in a second."""
    body = build_network(networks.build(network), INFO, Seeds(seed).child("network"), "cpu")
    model = TrainedModel(make_front(Space.normalised(INFO)), body)
    data = from_images(coloured("train"), model.front, "cpu")
    fit(model, data, Recipe(epochs=6, batch=64, lr=0.05), Context(Seeds(seed)))
    return model.eval()


def images(count: int = 100) -> tuple[Tensor, Tensor]:
    data = coloured("test")
    return data.read(slice(0, count)), data.labels[:count]


def attacked(
    attack: str | Attack,
    count: int = 100,
    *,
    target: Policy | Tensor | None = None,
    seed: int = 0,
    batch: int = 512,
    rules: Rules | None = None,
) -> Outcome:
    built = attack_of(attack) if isinstance(attack, str) else attack
    pixels, labels = images(count)
    rules = rules or Rules(keep_images=True)
    return run_attack(
        built, trained(), pixels, labels, ctx=Context(Seeds(seed)), target=target, rules=rules, batch=batch
    )
