"""A session with two trained networks on digits, which the tests of attack stages share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from stillproof import Score, Session
from stillproof.core.spec import Json
from stillproof.run.attack_outcomes import read_outcomes
from stillproof.suites.requests import Request, real_images, selected, trained

NETWORK, RECIPE = "convnet-1:width=8", "quick-real:epochs=4"


def training(seed: int = 0) -> Request:
    return trained(real_images("digits"), NETWORK, RECIPE, seed)


def attack(name: str, model: Request | None = None, **params: Any) -> Request:
    model = model or selected(training(), "last")
    return Request("attack", model=model, dataset="digits", attack=name, **params)


@dataclass(frozen=True)
class Home:
    session: Session
    score: Score

    def answer(self, request: Request) -> Json:
        return self.session.answer(request)

    def outcomes(self, answer: Json) -> dict[str, Tensor]:
        return read_outcomes(self.session.store, answer["outcomes"])


def make_home(folder: Path) -> Home:
    session = Session(str(folder / "s.db"))
    return Home(session, session.train("digits", network=NETWORK, recipe=RECIPE, seeds=2))
