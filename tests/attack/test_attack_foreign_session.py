"""Attacks of other libraries in a session: stored, stopped and gone on with, told of, and shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attack_setups import images, trained
from lookalike import lookalike

import stillproof
from stillproof import Session
from stillproof.attack.protocols import fair
from stillproof.attack_answers import AttackScore
from stillproof.attack_set_question import AttackSetQuestion
from stillproof.cli import show
from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.model_finder import find_model
from stillproof.run import attacker
from stillproof.suites.requests import Request, real_images, selected
from stillproof.suites.requests import trained as training

NETWORK, RECIPE, LIMIT = "convnet-1:width=8", "quick-real:epochs=4", 20


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with lookalike(monkeypatch):
        yield


def asked(name: str, **params: Any) -> Request:
    model = selected(training(real_images("digits"), NETWORK, RECIPE, 0), "last")
    return Request("attack", model=model, dataset="digits", attack=name, limit=LIMIT, **params)


def drop(found: AttackScore) -> float:
    """Return by how much the accuracy changes."""
    assert found.robust_accuracy is not None and found.clean_accuracy is not None
    return found.robust_accuracy - found.clean_accuracy


def test_a_stopped_attack_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair, "batch_of", lambda attack: 4)
    request, run = asked("torchattacks/Odd", keep=True), attacker.Attacker.run

    def stops(self: attacker.Attacker, victim: Any, part: Any, ctx: Any) -> Any:
        if int(part[0]) == 12:
            raise KeyboardInterrupt
        return run(self, victim, part, ctx)

    with Session(str(tmp_path / "s.db"), checkpoint_seconds=0.0) as session:
        monkeypatch.setattr(attacker.Attacker, "run", stops)
        with pytest.raises(KeyboardInterrupt):
            session.answer(request)
        monkeypatch.setattr(attacker.Attacker, "run", run)
        stopped = session.answer(request)
    with Session(str(tmp_path / "t.db")) as session:
        whole = session.answer(request)
    assert stopped["notes"]["resumed_at"] == 3
    assert [stopped[key] for key in ("outcomes", "examples")] == [whole[key] for key in ("outcomes", "examples")]
    said: Json = whole["notes"]["warnings"]
    assert stopped["notes"]["warnings"] == said and said["failed"].startswith("it failed on ")


def test_what_came_of_it_is_told_and_what_failed_is_an_outcome(tmp_path: Path) -> None:
    with Session(str(tmp_path / "s.db")) as session:
        score = session.train("digits", network=NETWORK, recipe=RECIPE, seeds=1)
        step, odd, broken = (
            session.attack(score, "digits", name, limit=LIMIT)
            for name in ("torchattacks/Step:steps=3:eps=0.3", "torchattacks/Odd", "torchattacks/Odd:every=true")
        )
        again = session.attack(score, "digits", "torchattacks/Step:steps=3", eps=0.3, limit=LIMIT)
        counts = session.store.results.counts()["attack"]
    assert step.eps == 0.3 and step.norm == "Linf" and drop(step) < 0
    assert step.params["release"] == "3.5.1" and step.cell == again.cell
    assert any("ValueError: an odd class" in said for said in odd.warnings)
    assert broken.reason is not None and "it failed on all" in broken.reason
    assert sum(counts.values()) == 3


def test_a_set_is_built_without_the_attacks_whose_library_is_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = ["mad/13", "torchattacks/Step", "fgsm:eps=0.1"]
    with Session(str(tmp_path / "s.db")) as session, lookalike(monkeypatch, version=None):
        model = session.train("digits", network=NETWORK, recipe="smoke", seeds=1).models[0]
        costs = session.forecast_attack_set(
            AttackSetQuestion("digits", find_model(session, model, "digits"), asks, per_class=3)
        )
        found = session.attack_set("digits", model, asks, per_class=3)
        with pytest.raises(BadInput, match="which is not installed: pip install"):
            session.attack_set("digits", model, asks[1], per_class=3)
    assert [one.attack for one in found.attacks if one.artifact] == ["mad/13", "fgsm:eps=0.1"]
    absent = next(one for one in found.attacks if one.artifact is None)
    assert absent.attack == "torchattacks/Step" and "which is not installed: pip install" in (absent.reason or "")
    assert absent.reason and absent.reason in repr(found)
    assert {one.attack: one.state for one in costs.attacks}["torchattacks/Step"] == absent.reason


def test_it_attacks_somebodys_own_model() -> None:
    pixels, labels = images(12)
    found = stillproof.attack(trained(), pixels, labels, attack="torchattacks/Step:steps=4", eps=0.2)
    assert found.eps == 0.2 and drop(found) < 0
    assert found.given == {"steps": "4", "eps": "0.2"}


def test_show_tells_options_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    show.command("torchattacks/Step")
    told = capsys.readouterr().out
    assert "torchattacks 3.5.1" in told and "One step up the gradient." in told and "steps" in told
    show.command("torchattacks/Shapeless", as_json=True)
    assert json.loads(capsys.readouterr().out)["params"] == {"loader": "(needed)"}
    show.command("torchattacks/Noise", as_json=True)
    assert json.loads(capsys.readouterr().out)["params"] == {"amount": 0.3, "seed": None}
    show.command("torchattacks")
    assert "Its classes: Endless, Noise, Odd, Shapeless, Step." in capsys.readouterr().out
