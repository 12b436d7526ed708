"""Small trainings and batches that the tests of defences share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from stillproof.core.components import networks
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.core.types import Space
from stillproof.defend.base.defence import Defence
from stillproof.nets.build import build_network
from stillproof.testing.toy import TOY, toy_images
from stillproof.train.batch import Batch
from stillproof.train.data import from_images
from stillproof.train.loop import fit
from stillproof.train.model import TrainedModel
from stillproof.train.recipe import Recipe
from stillproof.train.train_data import TrainData
from stillproof.train.training import Training
from stillproof.transforms.space import make_front

BN = "convnet-2-bn:width=4"


def make_model(network: str = BN) -> TrainedModel:
    """Return a network whose answers to the toy images differ enough to be right for some and wrong for others."""
    body = build_network(networks.build(network), TOY, Seeds(0).child("network"), "cpu")
    return TrainedModel(make_front(Space.normalised(TOY)), body)


def taught_model(network: str = BN) -> TrainedModel:
    """Return one that is right for most of the toy images."""
    model = make_model(network)
    fit(
        model,
        from_images(toy_images(), model.front, "cpu"),
        Recipe(epochs=6, batch=12, lr=0.05),
        Context(Seeds(0)),
    )
    return model


def make_training(model: TrainedModel, recipe: Recipe | None = None) -> Training:
    data = from_images(toy_images(), model.front, "cpu")
    return Training(model, data, recipe or Recipe(), Context(Seeds(0)))


def make_batch(training: Training, count: int = 12, epoch: int = 0) -> Batch:
    positions = torch.arange(count)
    classes = training.data.classes[:count]
    seeds = Seeds(0).child("batch", epoch)
    return Batch(training.data.read(positions), classes, classes, positions, epoch, seeds)


def fitted(defence: Defence, recipe: Recipe, *, scratch: Path | None = None, stop_at: int = 0) -> TrainedModel | None:
    """Return a model that a defence has trained; none if it was stopped when it asked for images that often."""
    model = make_model()
    whole = from_images(toy_images(), model.front, "cpu")
    asked = 0

    class Stopped(Exception):
        pass

    def read(positions: Tensor) -> Tensor:
        nonlocal asked
        asked += 1
        if asked == stop_at:
            raise Stopped
        return whole.read(positions)

    data = TrainData(read, whole.classes, whole.num_classes, whole.source)
    try:
        fit(model, data, recipe, Context(Seeds(0), scratch=scratch, checkpoint_seconds=0.0), defence=defence)
    except Stopped:
        return None
    return model


def weights_of(model: TrainedModel | None) -> Sequence[Tensor]:
    assert model is not None
    return [value.detach() for value in model.body.state_dict().values()]


def apart(one: Sequence[Tensor], other: Sequence[Tensor]) -> float:
    """Return the largest difference between two lists of tensors."""
    return max(float((a - b).abs().max()) for a, b in zip(one, other, strict=True))
