"""Session.attack: whatever means the same model is the same question."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from attacked import NETWORK, Home, make_home, training

from stillproof import BadInput, networks
from stillproof.suites.requests import selected


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    made = make_home(tmp_path_factory.mktemp("session"))
    with made.session:
        yield made


def model_of(home: Home) -> str:
    return home.score.models[0]


WAYS: list[tuple[str, Callable[[Home], Any]]] = [
    ("the beginning of its id", lambda home: model_of(home)[:10]),
    ("its name", lambda home: home.session.store.names_of([model_of(home)], "model")[model_of(home)]),
    ("its folder", lambda home: home.session.store.artifacts.folder(model_of(home))),
    ("its training", lambda home: training()),
    ("the choice of its epoch", lambda home: selected(training(), "last")),
    ("a score of one network", lambda home: home.session.train("digits", network=NETWORK, recipe=RECIPE, seeds=1)),
]
RECIPE = "quick-real:epochs=4"


@pytest.mark.parametrize("way", [way for _, way in WAYS], ids=[name for name, _ in WAYS])
def test_however_a_model_is_given_the_answer_is_there(home: Home, way: Callable[[Home], Any]) -> None:
    usual = home.session.attack(model_of(home), "digits", "fgsm", limit=30)
    given = way(home)
    cells = home.session.store.results.counts()["attack"]
    assert home.session.attack(given, "digits", "fgsm", limit=30).cell == usual.cell
    assert home.session.store.results.counts()["attack"] == cells


def test_a_checkpoint_is_one_model_whether_its_network_is_told_or_named(home: Home, tmp_path: Path) -> None:
    body = networks.build(NETWORK).build(channels=1, size=8, num_classes=10)
    torch.save(body.state_dict(), tmp_path / "theirs.pth")
    told = home.session.attack(tmp_path / "theirs.pth", "digits", "fgsm", limit=30)
    imported = home.session.import_model(tmp_path / "theirs.pth", "digits", NETWORK)
    named = home.session.attack(imported, "digits", "fgsm", limit=30)
    assert told.cell == named.cell and named.model == imported.name
    with pytest.raises(BadInput, match="itself says what its network is"):
        home.session.attack(imported, "digits", "fgsm", network=NETWORK)


def test_several_attacks_are_kept_side_by_side(home: Home, tmp_path: Path) -> None:
    found = home.session.attack(model_of(home), "digits", ["fgsm", "pgd:steps=2"], eps=0.1, limit=30, keep=tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"fgsm", "pgd-steps=2"}
    assert [one.examples for one in found.attacks] == [tmp_path / "fgsm", tmp_path / "pgd-steps=2"]
    again = home.session.attack(model_of(home), "digits", ["fgsm", "pgd:steps=2"], eps=0.1, limit=30, keep=tmp_path)
    assert again.as_dict() == found.as_dict()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("in the way")
    with pytest.raises(BadInput, match="exists and is not artifact"):
        home.session.attack(model_of(home), "digits", "fgsm", eps=0.1, limit=30, keep=tmp_path / "other")


def test_alarms_below_the_table_say_what_the_clamp_does(home: Home) -> None:
    found = home.session.attack(model_of(home), "digits", "fgsm", limit=60, protocol="faithful", check=True)
    assert any("under faithful, clamping" in alarm for alarm in found.alarms)
    assert "Alarm: the attack is not the only cause of this loss: under faithful, clamping" in repr(
        found
    ) and "Protocol faithful, untargeted." in repr(found)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (3, "a value of type int is not a model"),
        ("nobody", "unknown artifact 'nobody'"),
    ],
)
def test_what_is_no_model_is_refused(home: Home, given: Any, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        home.session.attack(given, "digits")
    with pytest.raises(BadInput, match="this score is of 2 networks"):
        home.session.attack(home.score, "digits")
