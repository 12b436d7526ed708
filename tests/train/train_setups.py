"""Small models, data and contexts that the tests of training share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from stillproof.core.components import networks
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.core.types import ImageSet, Space
from stillproof.nets.build import build_network
from stillproof.testing.toy import TOY, toy_images
from stillproof.train.curve import Curve
from stillproof.train.data import from_images
from stillproof.train.loop import fit
from stillproof.train.model import TrainedModel
from stillproof.train.recipe import Recipe
from stillproof.transforms.space import make_front

VIT = "vit:width=8:depth=1:heads=2:head_width=4:hidden=8:dropout=0.3"


class Killed(Exception):
    """Stands for a process that ends without warning."""


def make_model(network: str = "mlp:width=16", seed: int = 0) -> TrainedModel:
    body = build_network(networks.build(network), TOY, Seeds(seed).child("network"), "cpu")
    return TrainedModel(make_front(Space.normalised(TOY)), body)


def state(model: TrainedModel) -> dict[str, Tensor]:
    """Return a copy of all that a network holds."""
    return {name: value.clone() for name, value in model.body.state_dict().items()}


@dataclass
class Fitted:
    """A model after training, with everything that was kept of it."""

    model: TrainedModel
    curve: Curve
    ctx: Context

    @property
    def weights(self) -> dict[str, Tensor]:
        return state(self.model)


def train(
    recipe: Recipe,
    *,
    network: str = "mlp:width=16",
    seed: int = 0,
    scratch: Path | None = None,
    test: ImageSet | None = None,
    **options: Any,
) -> Fitted:
    """Train a fresh model on the toy images."""
    model = make_model(network)
    ctx = Context(Seeds(seed), scratch=scratch, checkpoint_seconds=0.0, **options)
    curve = Curve(test or toy_images(1), toy_images(2), "cpu")
    fit(model, from_images(toy_images(), model.front, "cpu"), recipe, ctx, curve=curve)
    return Fitted(model, curve, ctx)


def equal_weights(one: dict[str, Tensor], other: dict[str, Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)
