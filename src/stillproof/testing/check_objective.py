"""The contract of an objective."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import torch
from torch.nn.utils import parameters_to_vector

from stillproof.core.components import REGISTRIES, networks, objectives, references_of
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.core.spec import canonical_json
from stillproof.core.types import Space
from stillproof.nets.build import build_network
from stillproof.testing.checks import Result, global_generators_untouched, need, run_checks
from stillproof.testing.toy import TOY, toy_images
from stillproof.train.curve import Curve
from stillproof.train.data import from_images
from stillproof.train.loop import fit
from stillproof.train.model import TrainedModel
from stillproof.train.objective import objective_of
from stillproof.train.recipe import Recipe
from stillproof.transforms.space import make_front

EPOCHS = 3
NETWORK = "convnet-2-bn:width=4"


def check_objective(name: str) -> list[Result]:
    """Run the contract on toy images, with the objective's default parameters."""
    return run_checks(
        "objective",
        name,
        {
            "its parameters are plain JSON, and its references lead somewhere": lambda: _builds(name),
            "its loss is finite, and every epoch has one": lambda: _finite(name),
            "its gradient reaches the network": lambda: _reaches(name),
            "the same seed gives the same bytes": lambda: _deterministic(name),
            "draws from no global generator": lambda: _no_global_draws(name),
            "a stopped run goes on to the same result": lambda: _resumes(name),
        },
    )


class _Stopped(Exception):
    """The run was stopped on purpose."""


def _model() -> TrainedModel:
    body = build_network(networks.build(NETWORK), TOY, Seeds(0).child("network"), "cpu")
    return TrainedModel(make_front(Space.normalised(TOY)), body)


def _train(name: str, *, scratch: Path | None = None, stop: bool = False) -> tuple[TrainedModel, Curve]:
    """Train without momentum or weight decay: nothing but the gradient moves the weights."""
    model, curve = _model(), Curve(toy_images(1), None, "cpu")
    recipe = Recipe(epochs=EPOCHS, batch=10, momentum=0.0, weight_decay=0.0, objective=name, curve_points=EPOCHS)

    def report(share: float) -> None:
        if stop and 0 < share < 1:
            raise _Stopped

    ctx = Context(Seeds(0), scratch=scratch, report=report, checkpoint_seconds=0.0)
    fit(model, from_images(toy_images(), model.front, "cpu"), recipe, ctx, curve=curve)
    return model, curve


def _builds(name: str) -> None:
    objective = objective_of(name)
    strange = set(objective.references.values()) - REGISTRIES.keys()
    need(not strange, f"its references name {sorted(strange)}, which are not kinds of component")
    canonical_json(objectives.spec(objective).as_dict())
    for registry, reference in references_of(objective).values():
        registry.build(reference)


def _finite(name: str) -> None:
    _, curve = _train(name)
    need(len(curve.losses) == EPOCHS, f"{EPOCHS} epochs have {len(curve.losses)} losses: use training.record")
    need(all(math.isfinite(loss) for loss in curve.losses), f"its losses are {curve.losses}")


def _reaches(name: str) -> None:
    before, after = (parameters_to_vector(model.body.parameters()) for model in (_model(), _train(name)[0]))
    need(bool(after.isfinite().all()), "weights become NaN or infinite")
    need(not torch.equal(before, after), "training leaves all weights as they were")


def _deterministic(name: str) -> None:
    need(_same(_train(name), _train(name)), "two runs under one seed give different models")


def _no_global_draws(name: str) -> None:
    with global_generators_untouched():
        _train(name)


def _resumes(name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        try:
            made = _train(name, scratch=Path(folder), stop=True)
        except _Stopped:
            made = _train(name, scratch=Path(folder))
    need(_same(_train(name), made), "a run that was stopped and went on gives another model: use training.keep")


def _same(one: tuple[TrainedModel, Curve], other: tuple[TrainedModel, Curve]) -> bool:
    first, second = one[0].body.state_dict(), other[0].body.state_dict()
    return one[1].losses == other[1].losses and all(torch.equal(first[key], second[key]) for key in first)
