"""The contract of whatever trains: objectives and defences."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.nn.utils import parameters_to_vector

from stillproof.core.components import networks
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.core.types import Space
from stillproof.nets.build import build_network
from stillproof.testing.checks import global_generators_untouched, need
from stillproof.testing.fake_device import FAKE, fake_device
from stillproof.testing.toy import TOY, toy_attacked, toy_images
from stillproof.train.curve import Curve
from stillproof.train.data import from_images
from stillproof.train.loop import fit
from stillproof.train.meta.attacked_source import AttackedSource
from stillproof.train.model import TrainedModel
from stillproof.train.objective import Objective, objective_of
from stillproof.train.objectives.meta_at import MetaAT
from stillproof.train.recipe import Recipe
from stillproof.train.train_data import TrainData
from stillproof.transforms.space import make_front

EPOCHS = 3
BATCH = 10
NETWORK = "convnet-2-bn:width=4"


class _Stopped(Exception):
    """The run was stopped on purpose."""


@dataclass(frozen=True)
class TrainingChecks:
    """Trains on toy images by an objective or a defence, and looks at what comes of it.

    Args:
        objective: The recipe's objective.
        defence: Returns the defence that takes its place, if there is one.
    """

    objective: str = "cross-entropy"
    defence: Callable[[], Objective | None] = lambda: None

    def checks(self) -> dict[str, Callable[[], None]]:
        """Return the checks by what they say."""
        return {
            "its loss is finite, and every epoch has one": self._finite,
            "its gradient reaches the network": self._reaches,
            "the same seed gives the same bytes": self._deterministic,
            "draws from no global generator": self._no_global_draws,
            "a stopped run goes on to the same result": self._resumes,
            "works on another device than the CPU": self._elsewhere,
        }

    def _train(
        self,
        *,
        scratch: Path | None = None,
        stop: bool = False,
        device: str = "cpu",
        epochs: int = EPOCHS,
        batch: int = BATCH,
    ) -> tuple[TrainedModel, Curve]:
        """Train without momentum or weight decay: nothing but the gradient moves the weights."""
        model, curve = toy_model(device), Curve(toy_images(1), None, device)
        recipe = Recipe(
            epochs=epochs,
            batch=batch,
            momentum=0.0,
            weight_decay=0.0,
            objective=self.objective,
            curve_points=epochs,
        )

        def report(share: float) -> None:
            if stop and 0 < share < 1:
                raise _Stopped

        ctx = Context(Seeds(0), device, scratch=scratch, report=report, checkpoint_seconds=0.0)
        episodic = isinstance(objective_of(self.objective), MetaAT)
        data = toy_episodes(model, device) if episodic else from_images(toy_images(), model.front, device)
        fit(model, data, recipe, ctx, curve=curve, defence=self.defence())
        return model, curve

    def _finite(self) -> None:
        _, curve = self._train()
        need(len(curve.losses) == EPOCHS, f"{EPOCHS} epochs have {len(curve.losses)} losses: use training.record")
        need(all(math.isfinite(loss) for loss in curve.losses), f"its losses are {curve.losses}")

    def _reaches(self) -> None:
        before, after = (parameters_to_vector(model.body.parameters()) for model in (toy_model(), self._train()[0]))
        need(bool(after.isfinite().all()), "weights become NaN or infinite")
        need(not torch.equal(before, after), "training leaves all weights as they were")

    def _deterministic(self) -> None:
        need(_same(self._train(), self._train()), "two runs under one seed give different models")

    def _no_global_draws(self) -> None:
        with global_generators_untouched():
            self._train()

    def brief(self, device: str = "cpu") -> None:
        """Train a single epoch of two batches."""
        self._train(device=device, epochs=1, batch=len(toy_images()) // 2)

    def _elsewhere(self) -> None:
        with fake_device():
            self.brief(FAKE)

    def _resumes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            try:
                made = self._train(scratch=Path(folder), stop=True)
            except _Stopped:
                made = self._train(scratch=Path(folder))
        need(_same(self._train(), made), "a run that was stopped and went on gives another model: use training.keep")


def toy_model(device: str = "cpu") -> TrainedModel:
    """Return an untrained network for toy images."""
    body = build_network(networks.build(NETWORK), TOY, Seeds(0).child("network"), device)
    return TrainedModel(make_front(Space.normalised(TOY)).to(device), body)


def toy_episodes(model: TrainedModel, device: str = "cpu") -> TrainData:
    """Return toy images under attack: two thirds to learn from, the rest to choose an epoch by."""
    few, others = (toy_attacked(model.front, part, device) for part in (slice(24), slice(24, None)))
    return AttackedSource(few, few, others).data()


def _same(one: tuple[TrainedModel, Curve], other: tuple[TrainedModel, Curve]) -> bool:
    first, second = one[0].body.state_dict(), other[0].body.state_dict()
    return one[1].losses == other[1].losses and all(torch.equal(first[key], second[key]) for key in first)
