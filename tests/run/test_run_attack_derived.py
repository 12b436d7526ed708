"""What stands on attacks: the worst case, other models' judgement, times, kept images, and the check of gradients."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from attacked import NETWORK, Home, attack, make_home, training
from PIL import Image

from stillproof import BadInput, Request
from stillproof.core.attack_warnings import warnings_in
from stillproof.data.load import load
from stillproof.run.plan import Planner
from stillproof.sets.teachers import load_stored

TEST = load("digits", "test", Path())


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    made = make_home(tmp_path_factory.mktemp("derived"))
    with made.session:
        yield made


def test_the_worst_case_is_that_of_each_image(home: Home) -> None:
    several = (attack("fgsm:eps=0.05", limit=200), attack("pgd:eps=0.05", limit=200))
    answers = [home.answer(request) for request in several]
    worst = home.answer(Request("worst-case", of=several))
    robust = torch.stack([home.outcomes(answer)["robust"] for answer in answers])
    assert worst["robust_accuracy"] == int(robust.all(0).sum()) / 200 <= min(one["robust_accuracy"] for one in answers)
    assert (worst["n"], worst["clean_accuracy"]) == (200, answers[0]["clean_accuracy"])
    for others in (
        (several[0], attack("fgsm:eps=0.05", limit=100)),
        (several[0], attack("fgsm:eps=0.05", training(1), limit=200)),
        (several[0], several[1].but(protocol="faithful")),
        (several[0], training()),
        (),
    ):
        with pytest.raises(BadInput):
            Planner(home.session.root).ask("worst-case", of=others)


def test_the_worst_case_leaves_out_what_cannot_aim(home: Home) -> None:
    fgsm = attack("fgsm:eps=0.05", limit=50).but(targets="next")
    deepfool = fgsm.but(attack="deepfool:steps=2")
    planner = Planner(home.session.root)
    alone = planner.plan(Request("worst-case", of=(fgsm,)))
    assert planner.plan(Request("worst-case", of=(fgsm, deepfool))).id == alone.id
    judged = Request("within", of=fgsm.but(attack="deepfool:steps=2"), norm="L2", eps=0.5)
    assert planner.plan(Request("worst-case", of=(fgsm, judged))).id == alone.id


@pytest.mark.parametrize("name", ["none", "onepixel:steps=2"])
def test_any_attack_without_a_ball_may_be_judged_within_one(home: Home, name: str) -> None:
    found = home.answer(Request("within", of=attack(name, limit=20), norm="L2", eps=0.1))
    assert found["robust_accuracy"] == found["clean_accuracy"], "no change of a whole pixel is that small"


def test_what_an_attack_finds_in_its_ball_is_taken_off_the_curve(home: Home) -> None:
    nearest = attack("fmn:steps=2", limit=200)
    checks = [attack(f"apgd:steps=5:eps={eps!r}", limit=200) for eps in (0.05, 0.1, 0.2)]
    curve = home.answer(Request("robust-curve", of=nearest, checks=checks, largest=0.2))
    found = [home.answer(check) for check in checks]
    beyond = [(home.outcomes(one)["linf"] > eps).any() for one, eps in zip(found, (0.05, 0.1, 0.2), strict=True)]
    assert any(beyond), "rounding takes changes out of their ball, by less than a millionth"
    for check, alone in zip(curve["checks"], found, strict=True):
        assert check["robust_accuracy"] <= alone["robust_accuracy"]
    assert curve["accuracies"][-1] == curve["checks"][-1]["robust_accuracy"]
    assert curve["gap"] == max(check["curve"] - check["robust_accuracy"] for check in curve["checks"]) > 0


def test_a_transferred_attack_is_crafted_once_and_judged_by_others(home: Home) -> None:
    made = attack("pgd:eps=0.15", limit=120)
    on_itself, on_other = (home.answer(Request("transfer", of=made, model=training(seed))) for seed in (0, 1))
    crafted = [record for record in home.session.store.results.specs("attack").values() if record.get("all_steps")]
    assert len(crafted) == 1
    assert on_itself["robust_accuracy"] < on_other["robust_accuracy"] < on_other["clean_accuracy"]
    whole = home.answer(made.but(keep=True, all_steps=True))
    assert on_itself["robust_accuracy"] == whole["robust_accuracy"]
    assert on_other["crafted_on"] == on_itself["model"] == home.score.models[0] != on_other["model"]
    worst = home.answer(Request("worst-case", of=(made, Request("transfer", of=made, model=training()))))
    assert worst["robust_accuracy"] <= on_itself["robust_accuracy"]
    normalised = Request("transfer", of=made.but(protocol="faithful"), model=training())
    crafted_so = home.answer(made.but(protocol="faithful", keep=True))
    assert home.answer(normalised)["robust_accuracy"] == crafted_so["robust_accuracy"]
    with pytest.raises(BadInput, match="is no attack"):
        Planner(home.session.root).ask("transfer", of=training(), model=training())


def test_time_is_measured_alone_and_under_faithful_no_image_leaves(home: Home) -> None:
    fair = Request("attack-time", of=attack("pgd:eps=0.2:steps=5"), first=100)
    assert Planner(home.session.root).plan(fair).alone
    answers = {
        protocol: home.answer(Request("attack-time", of=fair.of.but(protocol=protocol), first=100))
        for protocol in ("fair", "faithful")
    }
    for found in answers.values():
        assert found["images"] == 100 and found["seconds"] > 0 and found["clean_seconds"] > 0
        assert found["threads"] >= 1 and found["machine"]
    assert answers["faithful"]["passes_per_image"] == 1 + 2 * 5 + 1 > answers["fair"]["passes_per_image"]
    with pytest.raises(BadInput, match="is no attack that could be timed"):
        Planner(home.session.root).ask("attack-time", of=training(), first=10)
    every = Planner(home.session.root).plan(Request("attack-time", of=attack("pgd"), first=1000))
    assert every.spec["images"] == 359, "as many as there are"


@pytest.mark.parametrize("protocol", ["fair", "faithful"])
def test_images_that_are_kept_give_the_predictions_that_are_stored(home: Home, protocol: str) -> None:
    answer = home.answer(attack("pgd:eps=0.1", limit=80, keep=True, protocol=protocol))
    plain = home.answer(attack("pgd:eps=0.1", limit=80, protocol=protocol))
    assert answer["robust_accuracy"] == plain["robust_accuracy"] and plain["examples"] is None
    store = home.session.store
    kept = store.artifacts.read(answer["examples"])
    images = kept.tensors["images"]
    model = load_stored(store.artifacts.read(answer["model"]), store, "cpu")
    seen = model.body if protocol == "faithful" else model
    with torch.no_grad():
        assert seen(images).argmax(1).tolist() == kept.tensors["predictions"].tolist()
    clean = TEST.read(slice(0, 80))
    start = clean if protocol == "fair" else model.front(clean)
    changed = (images - start).flatten(1).abs().amax(1)
    assert torch.allclose(changed, kept.tensors["linf"])
    assert images.min() >= 0 and images.max() <= 1, "also what was normalised, which is what is wrong with it"
    assert kept.card["space"]["kind"] == ("pixels" if protocol == "fair" else "normalised")
    folder = store.artifacts.folder(answer["examples"])
    with Image.open(folder / "preview.png") as picture:
        assert picture.width > 10 * 80 and picture.height > 3 * 80
    assert "80 test images of digits" in (folder / "README.md").read_text(encoding="utf-8")


def test_gradients_of_a_trained_network_are_sound(home: Home) -> None:
    request = Request("attack-check", model=training(), dataset="digits", eps=0.1, limit=150)
    answer = home.answer(request)
    assert answer["alarms"] == [] and answer["images"] == 150 and answer["right"] > 100
    assert answer["means"]["by_unbounded"] == 1.0 and answer["means"]["no_gradient"] == 0.0
    assert answer["means"]["by_noise"] < answer["means"]["by_one_step"] <= answer["means"]["by_many_steps"]
    stored = home.session.store.artifacts.read(answer["outcomes"])
    assert {len(values) for values in stored.tensors.values()} == {answer["right"]}
    with pytest.raises(BadInput, match="eps = 2 is not allowed: it must be above 0 and at most 1 in Linf"):
        Planner(home.session.root).plan(request.but(eps=2))


def test_a_warning_goes_with_what_stands_on_an_attack(home: Home) -> None:
    store = home.session.store
    stored = store.artifacts.read(home.score.models[0])
    flat = store.keep("model", {name: torch.zeros_like(value) for name, value in stored.tensors.items()}, stored.card)
    asked = {name: attack(name, Request("model", artifact=flat, network=NETWORK)) for name in ("pgd", "fmn:steps=3")}
    within = home.answer(Request("within", of=asked["fmn:steps=3"], norm="Linf", eps=0.1))
    curve = home.answer(Request("robust-curve", of=asked["fmn:steps=3"], checks=[asked["pgd"]], largest=0.2))
    for answer in (within, curve, *map(home.answer, asked.values())):
        assert "their gradient is zero" in warnings_in(answer["notes"])["flat"]
    assert warnings_in(home.answer(attack("pgd", limit=20))["notes"]) == {}


def test_a_model_of_the_store_is_looked_at_before_it_is_attacked(home: Home, tmp_path: Path) -> None:
    store = home.session.store
    made = home.session.distill("digits", "random", 1, network="convnet-1:width=4", scale="smoke")
    request = Request("model", artifact=made.artifact, network="convnet-1:width=4")
    with pytest.raises(Exception, match="is of kind distilled, and not a model"):
        home.answer(attack("fgsm", request, limit=10))
    stored = store.artifacts.read(home.score.models[0])
    weights = {name: torch.full_like(value, float("nan")) for name, value in stored.tensors.items()}
    broken = store.keep("model", weights, stored.card)
    with pytest.raises(Exception, match="the model's answer to image 0 is not finite"):
        home.answer(attack("fgsm", Request("model", artifact=broken, network="convnet-1:width=8"), limit=10))
    assert dataclasses.is_dataclass(Planner(home.session.root).stage(request))
