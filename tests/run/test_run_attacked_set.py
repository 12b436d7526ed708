"""Attacked data sets: their images, where these came from, and what is never learned from and tested on."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from attacked import NETWORK, RECIPE, training
from torch import Tensor

from commands import Commands, query
from stillproof import BadInput, Request, Session
from stillproof.attack.base.outcome import Outcome
from stillproof.core.spec import Json
from stillproof.data.load import load
from stillproof.run.attacked_images import ATTACKED_SET
from stillproof.run.attacked_set import as_bytes, shown_images
from stillproof.run.attacker import Attacker
from stillproof.sets.teachers import load_stored
from stillproof.suites.requests import trained

TEST = load("digits", "test", Path())
TRAIN, VALIDATION, JUDGED = 0, 1, 2


def asked(attack: str, **params: Any) -> Request:
    return Request("attacked-set", model=training(), dataset="digits", attack=attack, **{"per_class": 6, **params})


PGD = "pgd:eps=0.2:steps=5"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(str(tmp_path_factory.mktemp("attacked-set") / "s.db")) as opened:
        yield opened


def kept(session: Session, request: Request) -> tuple[Json, dict[str, Tensor]]:
    answer = session.answer(request)
    stored = session.store.artifacts.read(answer["artifact"])
    assert stored.kind == ATTACKED_SET
    return answer, stored.tensors


def test_every_class_gives_as_many_images_each_with_its_source(session: Session) -> None:
    answer, tensors = kept(session, asked(PGD))
    sources = tensors["sources"].long()
    assert answer["n"] == len(sources) == 60 == len(set(sources.tolist()))
    assert tensors["images"].dtype == torch.uint8 and tensors["images"].shape == (60, 1, 8, 8)
    assert torch.equal(TEST.labels[sources], tensors["labels"].long())
    assert tensors["labels"].long().bincount().tolist() == [6] * 10
    away = (tensors["images"].float() / 255 - TEST.read(sources)).flatten(1).abs().amax(1)
    assert 0 < away.max() <= 0.2 + 0.5 / 255 + 1e-6, "each image is near its own source"
    roles = [tensors["roles"][tensors["labels"] == label].long().bincount().tolist() for label in range(10)]
    assert roles == [[3, 1, 2]] * 10


def test_the_model_is_asked_again_of_the_bytes(session: Session) -> None:
    answer, tensors = kept(session, asked(PGD))
    store = session.store
    model = load_stored(store.artifacts.read(answer["model"]), store, "cpu")
    with torch.no_grad():
        clean = model(TEST.read(tensors["sources"].long())).argmax(1)
        rounded = model(tensors["images"].float() / 255).argmax(1)
    assert tensors["clean_predictions"].tolist() == clean.tolist()
    assert tensors["rounded_predictions"].tolist() == rounded.tolist()
    right = tensors["clean_predictions"] == tensors["labels"]
    turned = int((right & (tensors["rounded_predictions"] != tensors["labels"])).sum())
    assert answer["right"] == int(right.sum()) and answer["turned"]["rounded"] == turned > 0
    assert answer["success"]["rounded"] == turned / int(right.sum())
    assert answer["robust_accuracy"] == (answer["right"] - answer["turned"]["float"]) / 60


def test_no_source_crosses_the_split_under_any_attack(session: Session) -> None:
    first, other = (kept(session, asked(attack))[1] for attack in (PGD, "fgsm:eps=0.1"))
    assert torch.equal(first["sources"], other["sources"]) and torch.equal(first["roles"], other["roles"])
    learned = set(first["sources"][first["roles"] == TRAIN].tolist())
    assert not learned & set(other["sources"][other["roles"] == JUDGED].tolist())


def test_the_original_splits_for_each_attack_anew(session: Session) -> None:
    first, other = (kept(session, asked(attack, protocol="faithful:mad"))[1] for attack in (PGD, "fgsm:eps=0.1"))
    assert torch.equal(first["sources"], other["sources"])
    learned = set(first["sources"][first["roles"] == TRAIN].tolist())
    assert learned & set(other["sources"][other["roles"] == JUDGED].tolist()), "its leak, which is labelled as such"


def test_bytes_are_rounded_or_cut_off_as_the_protocol_says() -> None:
    pixels = torch.tensor([0.0, 0.5 / 255 + 1e-6, 0.999 / 255, 1 / 255, 1.0])
    assert as_bytes(pixels, truncates=False).tolist() == [0, 1, 1, 1, 255]
    assert as_bytes(pixels, truncates=True).tolist() == [0, 0, 0, 1, 255]


def test_original_images_are_cut_off(session: Session) -> None:
    (_, fair), (_, faithful) = (kept(session, asked(PGD, protocol=p)) for p in ("fair", "faithful:mad"))
    assert (fair["images"].int() - faithful["images"].int()).abs().max() >= 1
    for tensors in (fair, faithful):
        assert tensors.keys() >= {"predictions", "rounded_predictions", "truncated_predictions", "forwards", "linf"}


def test_all_steps_are_made_and_counted(session: Session) -> None:
    _, tensors = kept(session, asked(PGD))
    assert set((tensors["forwards"] + tensors["backwards"]).tolist()) == {1 + 2 * 5 + 1}


def test_a_seed_decides_sources_roles_and_draws(session: Session) -> None:
    (_, first), (_, other) = (kept(session, asked("fgsm:eps=0.1", seed=seed)) for seed in (0, 1))
    assert not torch.equal(first["sources"], other["sources"])


def test_attacked_images_can_be_learned_from_by_other_networks(session: Session) -> None:
    part = asked(PGD, part="train", per_class=9)
    answer = session.answer(trained(part, NETWORK, RECIPE, 0))
    assert answer["n_test"] == len(TEST)
    judged = session.answer(Request("judge", model=training(1), on=asked(PGD)))
    assert judged["n"] == 60
    with pytest.raises(BadInput, match="must not be trained on the images that it is tested on"):
        session.answer(trained(asked(PGD), NETWORK, RECIPE, 0))


def test_gradients_that_are_zero_are_told_and_a_pool_tells_it_too(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Attacker.run

    def flat(self: Attacker, *args: Any) -> Outcome:
        found = run(self, *args)
        nothing: Json = {"no_gradient": torch.ones_like(found.fooled), "predictions": found.clean_predictions}
        return dataclasses.replace(found, **nothing)

    monkeypatch.setattr(Attacker, "run", flat)
    answer = session.answer(asked("fgsm:eps=0.3", seed=5))
    said = answer["notes"]["warnings"]["flat"]
    assert f"({answer['right']} of {answer['right']} that are right before)" in said
    session.pool_add("flat", [answer["artifact"]])
    assert list(session.found_attack_set("flat").attacks[0].warnings) == [said]


def test_a_model_may_have_more_answers_than_there_are_classes(session: Session) -> None:
    _, tensors = kept(session, asked(PGD))
    wide = tensors | {"rounded_predictions": torch.full_like(tensors["labels"], 12)}
    assert {one.said for one in shown_images(wide, TEST)} == {"12"}


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"per_class": 60}, "the smallest class of digits has 35 test images"),
        ({"per_class": 2}, "cannot be divided"),
        ({"split": (1, 2)}, "give three shares"),
        ({"protocol": "faithful:beard"}, "leaves images that are no pixels"),
        ({"attack": "mad/40"}, "unknown attack"),
        ({"attack": "pgd:eps=7"}, "eps = 7 is not allowed"),
    ],
)
def test_what_cannot_be_built_is_refused(session: Session, params: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        session.answer(asked(**{"attack": PGD, **params}))


def test_the_picture_and_the_card_tell_what_it_is(session: Session) -> None:
    answer, _ = kept(session, asked("mad/13"))
    folder = session.store.artifacts.folder(answer["artifact"])
    card = session.store.artifacts.read(answer["artifact"]).card
    assert card["called"] == "mad/13" and card["reference"] == "fgsm:eps=60/255" and card["split"] == [14, 5, 11]
    assert "60 test images of digits, as `fgsm:eps=60/255` left them" in (folder / "README.md").read_text("utf-8")
    assert (folder / "preview.png").is_file()


SCRIPT = """
import json, sys
from stillproof import Request, Session
from stillproof.suites.requests import real_images, trained
session = Session(sys.argv[1], checkpoint_seconds=0.0)
model = trained(real_images("digits"), "convnet-1:width=4", "smoke", 0)
asked = dict(model=model, dataset="digits", attack="square:queries=1500:eps=0.05", per_class=11)
answer = session.answer(Request("attacked-set", **asked))
print(json.dumps([answer["artifact"], answer["notes"].get("resumed_at", 0)]))
"""


def test_a_killed_build_goes_on_to_the_same_bytes(tmp_path: Path, stillproof: Commands) -> None:
    stillproof.killed(SCRIPT, "batches-of-", "k.db", cwd=tmp_path)
    states = dict(query(tmp_path / "k.db", "SELECT stage, status FROM cells"))
    assert states["attacked-set"] == "running"
    resumed = stillproof.python(SCRIPT, "k.db", cwd=tmp_path).json()
    whole = stillproof.python(SCRIPT, "w.db", cwd=tmp_path).json()
    assert resumed[1] > 0 == whole[1] and resumed[0] == whole[0]


def test_an_attack_that_changes_nothing_keeps_the_bytes(session: Session) -> None:
    answer, tensors = kept(session, asked("none"))
    again = (TEST.read(tensors["sources"].long()) * 255).round().to(torch.uint8)
    assert answer["turned"]["float"] == 0 and torch.equal(tensors["images"], again)
