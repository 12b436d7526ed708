"""Labelled images wherever they come from: what is attacked, trained on and tested on, through the pool."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from attacked import NETWORK, RECIPE, attack, training

from stillproof import BadInput, Request, Session
from stillproof.core.errors import CellFailed
from stillproof.data.load import load
from stillproof.run.attacked_images import EXAMPLES
from stillproof.run.labelled_images import read_images
from stillproof.run.plan import Planner
from stillproof.run.stage import Job, Options
from stillproof.sets.teachers import load_stored
from stillproof.suites.requests import distilled, real_images, stored_set, trained

TRAIN = load("digits", "train", Path())
TEST = load("digits", "test", Path())
CRAFTED = attack("pgd:eps=0.1:steps=3", training(), part="train", limit=300, keep=True)
HARDENED = trained(CRAFTED, NETWORK, RECIPE, 0)
OTHER = attack("fgsm:eps=0.1", training(1), limit=100, keep=True)
SET = distilled(real_images("digits"), "random", 3, 0, NETWORK)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(str(tmp_path_factory.mktemp("labelled") / "s.db"), workers=2) as opened:
        yield opened


def test_attack_the_training_split_train_on_that_and_test_on_another_attack(session: Session) -> None:
    other, crafted, hardened, judged, clean, seen = session.answers(
        [
            OTHER,
            CRAFTED,
            HARDENED,
            Request("judge", model=HARDENED, on=OTHER),
            Request("judge", model=HARDENED, on=real_images("digits", "test")),
            Request("judge", model=training(), on=SET),
        ]
    )
    kept = session.store.artifacts.read(crafted["examples"])
    assert kept.kind == EXAMPLES and kept.card["test"] == TRAIN.id
    assert torch.equal(kept.tensors["labels"].long(), TRAIN.labels[:300]), "true classes, from the first image on"
    change = (kept.tensors["images"] - TRAIN.read(slice(0, 300))).flatten(1).abs().amax(1)
    assert 0 < change.max() <= 0.1 + 1e-6
    assert "300 train images of digits" in (session.store.artifacts.folder(kept.id) / "README.md").read_text("utf-8")
    assert clean["accuracy"] == hardened["test_accuracy"][-1] and clean["n"] == len(TEST)
    store = session.store
    model = load_stored(store.artifacts.read(judged["model"]), store, "cpu")
    shown = store.artifacts.read(other["examples"]).tensors
    with torch.no_grad():
        said = model(shown["images"]).argmax(1)
    assert judged["model"] in hardened["models"].values() and judged["n"] == 100
    assert judged["accuracy"] == int((said == TEST.labels[:100]).sum()) / 100 < clean["accuracy"]
    found = store.artifacts.read(judged["outcomes"]).tensors
    assert found["predictions"].tolist() == said.tolist() and found["labels"].tolist() == TEST.labels[:100].tolist()
    assert seen["n"] == 30 and seen["accuracy"] > 0.8, "a distilled set of training images that the network has seen"


def test_a_score_tells_what_was_trained_on(session: Session) -> None:
    with Session(session.store.url, workers=1) as alone:
        score = alone.train(CRAFTED, network=NETWORK, recipe=RECIPE, seeds=1)
    assert score.name == "pgd:eps=0.1:steps=3 on convnet-1:width=8 on full digits seed 0, train images"
    assert score.trained_on == session.answer(CRAFTED)["examples"]


def test_a_part_is_in_label_and_hints_and_decides_the_name(tmp_path: Path) -> None:
    planner = Planner(tmp_path)
    usual, explicit, other = (planner.plan(CRAFTED.but(part=part)) for part in ("test", "test", "train"))
    assert planner.plan(Request("attack", **{k: v for k, v in CRAFTED.params.items() if k != "part"})).id == usual.id
    assert usual.id == explicit.id != other.id and usual.spec.keys() == other.spec.keys()
    assert (usual.where["part"], other.where["part"]) == ("test", "train")
    assert other.label == f"{usual.label}, train images"
    assert other.label in planner.plan(HARDENED).label
    timed = planner.ask("attack-time", of=CRAFTED, first=10_000)
    assert timed.spec["images"] == len(TRAIN) and timed.where["part"] == "train"
    judged = planner.ask("transfer", of=CRAFTED, model=training(1))
    assert judged.spec["test"] == TRAIN.id and judged.where["part"] == "train"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (HARDENED.but(on=CRAFTED.but(keep=False)), "keeps no images: ask for it with keep=True"),
        (HARDENED.but(on=CRAFTED.but(protocol="faithful")), "leaves images that are no pixels"),
        (HARDENED.but(on=CRAFTED.but(part="test")), "must not be trained on the images that it is tested on"),
        (HARDENED.but(on=real_images("digits", "test")), "must not be trained on the images that it is tested on"),
        (
            HARDENED.but(on=real_images("digits", "heldout"), heldout="heldout"),
            "must not be trained on the images that it is tested on",
        ),
        (SET.but(data=real_images("digits", "test")), "test images of digits are kept to judge by"),
        (CRAFTED.but(limit=2000), "digits has 1438 train images"),
        (CRAFTED.but(part="all"), "part = 'all' is not allowed"),
        (Request("noisy", of=CRAFTED, std=1.0), "are real images, as they are or attacked"),
        (Request("judge", model=training(), on=training(1)), "is no set of images"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(tmp_path: Path, asked: Request, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        Planner(tmp_path).plan(asked)


def test_attacked_test_images_are_not_trained_on_under_the_name_of_their_artifact_either(session: Session) -> None:
    shown = stored_set(session.answer(OTHER)["examples"], "digits", count=100)
    for on, words in (
        (shown, "the network is to be judged by"),
        (Request("noisy", of=shown, std=1.0), "no distilled set"),
    ):
        with Session(session.store.url, workers=1) as alone, pytest.raises(CellFailed, match=words):
            alone.answer(trained(on, NETWORK, RECIPE, 0))


@pytest.mark.parametrize(
    ("dataset", "space", "size", "words"),
    [
        ("mnist", "pixels", 8, "has attacked images of mnist, and not of digits"),
        ("digits", "normalised", 8, "has attacked images of normalised space"),
        ("digits", "pixels", 9, r"are \(1, 9, 9\), and those of digits \(1, 8, 8\)"),
    ],
)
def test_stored_images_that_do_not_fit_are_refused(
    session: Session, dataset: str, space: str, size: int, words: str
) -> None:
    tensors = {"images": torch.zeros(2, 1, size, size), "labels": torch.zeros(2, dtype=torch.int16)}
    artifact = session.store.keep(EXAMPLES, tensors, {"dataset": dataset, "space": {"kind": space}})
    options = Options(session.store.url, session.root, "cpu")
    job = Job("0" * 64, {}, {"dataset": "digits"}, session.store, options, lambda _: None)
    with pytest.raises(BadInput, match=words):
        read_images({"artifact": artifact}, None, job)
