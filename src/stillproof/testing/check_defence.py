"""The contract of a defence."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from stillproof.attack.base.norms import sizes
from stillproof.core.components import defences
from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.core.reference import write_reference
from stillproof.core.seeds import Seeds
from stillproof.core.spec import canonical_json
from stillproof.defend.base.defence import defence_of
from stillproof.testing.check_training import TrainingChecks, toy_model
from stillproof.testing.checks import Result, need, run_checks
from stillproof.testing.choices import TITLE, try_every_choice
from stillproof.testing.toy import TOY, toy_images
from stillproof.train.batch import Batch
from stillproof.train.data import from_images
from stillproof.train.recipe import Recipe
from stillproof.train.training import Training

IMAGES = 12
BEYOND = 0.5  # how far the pixels of distilled images may lie outside [0, 1] here
ROUNDING = 1e-5  # of pixels


def check_defence(name: str) -> list[Result]:
    """Run the contract on toy images, with the defence's default parameters."""
    return run_checks(
        "defence",
        name,
        {
            "its parameters are plain JSON, and its passes a number": lambda: _builds(name),
            "refuses a change that is larger than its attack's range": lambda: _range(name),
            "its attack acts in pixels, and leads none further out of [0, 1]": lambda: _in_pixels(name),
            TITLE: lambda: try_every_choice(defences, name, lambda choice: _trains_with(name, choice)),
        }
        | TrainingChecks(defence=lambda: defence_of(name)).checks(),
    )


def _builds(name: str) -> None:
    defence = defence_of(name)
    canonical_json(defences.spec(defence).as_dict())
    need(defence.passes >= 1, f"passes is {defence.passes}")
    defence.check(TOY)


def _trains_with(name: str, choice: Mapping[str, Any]) -> None:
    TrainingChecks(defence=lambda: defence_of(write_reference(name, choice))).brief()


def _range(name: str) -> None:
    too_large = dataclasses.replace(defence_of(name), eps=1e6)
    try:
        too_large.check(TOY)
    except BadInput:
        return
    need(False, "eps = 1e6 is taken for images of [0, 1]")


def _in_pixels(name: str) -> None:
    defence, model = defence_of(name), toy_model().train()
    data = from_images(toy_images(), model.front, "cpu")
    training = Training(model, data, Recipe(), Context(Seeds(0)))
    stretched = (1 + 2 * BEYOND) * toy_images().read(slice(0, IMAGES)) - BEYOND
    images = model.front(stretched)
    classes = data.classes[:IMAGES]
    batch = Batch(images, classes, classes, torch.arange(IMAGES), 0, Seeds(0).child("batch"))
    harder = training.to_pixels(defence.harder(training, batch))
    radius = defence.attack.radius
    if radius is not None:
        moved = sizes(harder - stretched, defence.attack.measured_in).max()
        need(bool(moved <= radius + ROUNDING), f"pixels move by {moved:g}, where {radius:g} is allowed")
    need(bool((harder - stretched).abs().max() > ROUNDING), "images stay as they were")
    need(_outside(harder) <= _outside(stretched) + ROUNDING, "pixels are led further out of [0, 1]")
    need(model.training, "the network is not given back in the mode that it was in")


def _outside(pixels: Tensor) -> float:
    return float(torch.maximum(pixels - 1, -pixels).clamp(min=0).amax())
