"""Attacks as cells: what is kept of every image, who shares an answer, and what goes on after a stop."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from attacked import Home, attack, make_home, training
from PIL import Image

from stillproof import BadInput, Request, Session
from stillproof.attack.protocols import fair
from stillproof.core.errors import CellFailed
from stillproof.core.spec import Json
from stillproof.core.types import DataInfo
from stillproof.data.load import load
from stillproof.run import attacker
from stillproof.run.attacked_model import check_same_data
from stillproof.run.plan import Planner
from stillproof.suites.requests import real_images, selected, trained

TEST = load("digits", "test", Path())


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    made = make_home(tmp_path_factory.mktemp("attack"))
    with made.session:
        yield made


def planned(home: Home, request: Request) -> str:
    return Planner(home.session.root).plan(request).id


def test_what_came_of_every_image_is_kept_and_adds_up(home: Home) -> None:
    answer = home.answer(attack("pgd:eps=0.1", limit=100))
    found = home.outcomes(answer)
    assert {len(values) for values in found.values()} == {100} and answer["n"] == 100
    labels, clean, after = (found[key].long() for key in ("labels", "clean_predictions", "predictions"))
    assert torch.equal(labels, TEST.labels[:100])
    stored = home.session.predictions(home.score.models[0])
    assert clean.tolist() == stored.predictions[:100].tolist(), "the same model as the training's own test saw"
    right = clean == labels
    assert torch.equal(found["robust"], right & (after == labels))
    assert torch.equal(found["success"], right & (after != labels))
    assert answer["clean_accuracy"] == int(right.sum()) / 100
    assert answer["robust_accuracy"] == pytest.approx(found["robust"].float().mean().item())
    assert answer["success_rate"] == pytest.approx(answer["clean_accuracy"] - answer["robust_accuracy"])
    assert found["linf"].max() <= 0.1 + 1e-6 and (found["l2"] <= found["l1"] + 1e-6).all()
    passes = found["forwards"] + found["backwards"]
    assert answer["passes_per_image"] == pytest.approx(passes.float().mean().item())
    assert (passes[~right] == 1).all() and passes[found["robust"]].min() == 22, "fooled images leave"
    turned = found["success"]
    assert (found["first_success"][turned] <= passes[turned]).all() and turned.sum() > 10
    assert (found["first_success"][found["robust"]] == -1).all()
    assert answer["passes_to_success"] == pytest.approx(found["first_success"][turned].float().mean().item())


def test_however_a_model_is_named_its_attack_is_one_question(home: Home) -> None:
    by_choice = planned(home, attack("fgsm", limit=50))
    assert planned(home, attack("fgsm", training(), limit=50)) == by_choice
    assert planned(home, attack("fgsm:eps=8/255", limit=50)) == by_choice
    home.session.attack(home.score.models[0], "digits", "fgsm", limit=50)
    assert by_choice in {record.id for record in home.session.store.results.get_many([by_choice]).values()}
    whole = planned(home, attack("fgsm"))
    assert planned(home, attack("fgsm", limit=len(TEST))) == whole != by_choice
    others = [
        attack("fgsm", limit=49),
        attack("fgsm:eps=9/255", limit=50),
        attack("fgsm", limit=50, seed=1),
        attack("fgsm", limit=50, targets="next"),
        attack("fgsm", limit=50, protocol="faithful"),
        attack("fgsm", training(1), limit=50),
        attack("fgsm", limit=50, keep=True),
        attack("fgsm", limit=50, all_steps=True),
    ]
    assert len({by_choice, *(planned(home, other) for other in others)}) == len(others) + 1


def test_an_epoch_that_was_chosen_is_attacked_itself(home: Home) -> None:
    train = trained(real_images("digits"), "convnet-1:width=4", "smoke:epochs=3:curve_points=3", 0)
    last, best = (selected(train.but(whole_curve=True), rule) for rule in ("last", "oracle"))
    chosen = [home.answer(request) for request in (last, best)]
    attacked = [home.answer(attack("none", request, limit=359)) for request in (last, best)]
    assert [one["clean_accuracy"] for one in attacked] == pytest.approx([one["accuracy"] for one in chosen])
    assert [one["model"] for one in attacked] == [one["model"] for one in chosen]


def test_what_an_attack_has_noted_goes_on_with_it() -> None:
    noted = {"warnings": {"square": "masked"}, "counted": {"square": [2, 64]}}
    state = attacker.OutcomeParts(noted | {"compiled": True}).state_dict()
    notes: Json = {"resumed_at": 3}
    attacker.OutcomeParts(notes).load_state_dict(state)
    assert notes == noted | {"resumed_at": 3}


def test_a_stopped_attack_goes_on_with_the_next_batch(
    home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(fair, "batch_of", lambda attack: 30)
    request = attack("pgd:eps=0.1:steps=3", limit=100, keep=True)
    with Session(home.session.store.url, checkpoint_seconds=0.0) as session:
        run = attacker.Attacker.run

        def stops(self: attacker.Attacker, victim: Any, part: Any, ctx: Any) -> Any:
            if int(part[0]) == 60:
                raise KeyboardInterrupt
            return run(self, victim, part, ctx)

        monkeypatch.setattr(attacker.Attacker, "run", stops)
        with pytest.raises(KeyboardInterrupt):
            session.answer(request)
        monkeypatch.setattr(attacker.Attacker, "run", run)
        stopped = session.answer(request)
    assert stopped["notes"]["resumed_at"] == 2
    whole = make_home(tmp_path)
    with whole.session:
        expected = whole.answer(request)
    assert [stopped[key] for key in ("outcomes", "examples")] == [expected[key] for key in ("outcomes", "examples")]


def test_the_seed_is_that_of_random_starts(home: Home) -> None:
    first, again, other = (
        home.outcomes(home.answer(attack("pgd:eps=0.05:steps=2", limit=60, seed=seed, protocol="fair", keep=keep)))
        for seed, keep in ((0, False), (0, True), (1, False))
    )
    assert torch.equal(first["l2"], again["l2"]) and not torch.equal(first["l2"], other["l2"])


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"limit": 360}, "limit = 360 is not allowed: digits has 359 test images"),
        ({"limit": 0}, "limit = 0 is not allowed"),
        ({"name": "pgdd"}, "unknown attack 'pgdd'; did you mean 'pgd'"),
        ({"name": "pgd:eps=0"}, "eps must be above 0, not 0"),
        ({"name": "pgd:eps=-1/255"}, "eps must be above 0, not -0.00392157"),
        ({"name": "pgd:eps=1.5"}, "eps = 1.5 is not allowed: for images of 64 values"),
        ({"name": "pgd-l2:eps=8.5"}, "at most 8 in L2"),
        ({"name": "pgd:norm=L3"}, "norm = 'L3' is not allowed"),
        ({"targets": "nearest"}, "targets"),
        ({"model": real_images("digits")}, "is nothing that could be computed"),
        ({"model": Request("zca", dataset="digits")}, "is not a trained network"),
    ],
)
def test_what_cannot_be_attacked_is_refused_before_anything_runs(
    home: Home, params: dict[str, Any], words: str
) -> None:
    asked = {"model": training(), "dataset": "digits", "attack": params.pop("name", "pgd"), **params}
    with pytest.raises(BadInput) as refused:
        planned(home, Request("attack", **asked))
    assert words in str(refused.value) and "\n" not in str(refused.value)


def test_a_model_for_other_images_is_refused(home: Home, tmp_path: Path) -> None:
    for split in ("train", "test"):
        for label in ("cat", "dog"):
            folder = tmp_path / split / label
            folder.mkdir(parents=True)
            Image.new("L", (8, 8), 90 + len(split)).save(folder / "one.png")
    for dataset, words in (
        (f"image_folder:path={tmp_path}:size=8:channels=1", "the model knows 10 classes, and .* has 2"),
        (f"image_folder:path={tmp_path}", "the model knows 10 classes"),
    ):
        with pytest.raises(BadInput, match=words):
            planned(home, attack("pgd").but(dataset=dataset))
        with pytest.raises(BadInput, match=words):
            home.session.attack(home.score.models[0], dataset)
    size = DataInfo("digits", 3, 8, 10, (0.0,) * 3, (1.0,) * 3, "")
    with pytest.raises(BadInput, match=r"sees images \(3, 8, 8\), and those of digits are \(1, 8, 8\)"):
        check_same_data(size, TEST.info)
    other = dataclasses.replace(TEST.info, name="other")
    with pytest.raises(BadInput, match="the model is for other, and the images are of digits"):
        check_same_data(other, TEST.info)


def test_a_targeted_form_that_is_not_there_is_an_outcome_with_its_reason(home: Home) -> None:
    request = attack("deepfool", limit=20, targets="next")
    with pytest.raises(CellFailed, match="ended as unsupported: DeepFool has no targeted form"):
        home.answer(request)
    record = home.session.store.results.get(planned(home, request))
    assert record is not None and record.status == "unsupported"
    assert record.error == "DeepFool has no targeted form: leave the target out."


@pytest.mark.parametrize("policy", ["next", "random", "least-likely"])
def test_targets_are_those_of_the_policy(home: Home, policy: str) -> None:
    found = home.outcomes(home.answer(attack("pgd:eps=0.3", limit=60, targets=policy)))
    assert (found["targets"] != found["labels"]).all()
    assert torch.equal(found["fooled"], found["predictions"] == found["targets"])
    if policy == "next":
        assert torch.equal(found["targets"].long(), (TEST.labels[:60] + 1) % 10)
