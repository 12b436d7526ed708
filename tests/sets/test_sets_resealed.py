from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image
from resealed import mutated, reseal

from commands import Commands
from stillproof.core.components import networks, recipes
from stillproof.core.errors import StillproofError
from stillproof.image_finder import artifact_request, export_set
from stillproof.model_finder import find_model
from stillproof.report.sets import named_set
from stillproof.session import Session
from stillproof.sets.drawn import drawn_from
from stillproof.sets.own_recipe import recipe_on
from stillproof.sets.read import read_set
from stillproof.store.artifact_files import read_folder
from stillproof.store.folder_files import CARD
from stillproof.train.model import load_model
from stillproof.train.replay import check_replay

SMALL = "convnet-1:width=4"
EACH = 3  # images per class
TRUE = {"ipc": EACH, "num_classes": 10, "bytes": EACH * 10 * (64 * 4 + 8)}
DECIDING = ("recipe", "space", "dataset", "labels", "method", "network")  # what a plan is made from
SPARED = 40  # of so many cards one takes the long way, through the planning of a suite


class Home:
    """A store with a set and a model whose cards are edited, and folders with copies of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.session = Session(str(folder / "s.db"))
        made = self.session.distill("digits", "random", EACH, network=SMALL)
        export_set(self.session.store, made.artifact, folder / "set")
        score = self.session.train(made, network=SMALL, recipe="smoke", seeds=1)
        self.session.store.artifacts.export(score.models[0], folder / "model")

    def copy(self, kind: str) -> Path:
        place = self.folder / f"edited-{kind}"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.folder / kind, place)
        return place

    def card(self, kind: str) -> Any:
        return json.loads((self.folder / kind / CARD).read_text())["card"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    made = Home(tmp_path_factory.mktemp("resealed"))
    yield made
    made.session.close()


def sentence(error: StillproofError) -> None:
    said = str(error)
    assert said.endswith(".") and "\n" not in said and "\x1b" not in said and len(said) < 1000, said
    said.encode()  # can be written


def test_a_set_that_says_less_than_it_holds_stands_under_what_it_holds(home: Home) -> None:
    place = home.copy("set")
    reseal(place, home.card("set") | {"ipc": 1, "bytes": 12})
    with Session(str(home.folder / "elsewhere.db")) as session:
        request, card = artifact_request(session.store, str(place))
        assert {key: card[key] for key in TRUE} == TRUE
        assert (named_set(session.store, str(place)).card["ipc"], request.count) == (EACH, EACH * 10)
        session.pool_add("mine", [place])
        assert session.pool("mine").as_dict()["members"][0]["ipc"] == EACH
        _, rows, _ = session.plan_suite("accuracy", {"dataset": ["digits"], "methods": [place], "network": SMALL})
        assert {row["ipc"] for row in rows if row.get("set")} == {EACH}
        made = read_set(session.store, request.artifact)
        assert {"ipc": made.card.ipc, "num_classes": made.num_classes, "bytes": made.card.bytes} == TRUE


def test_an_honest_set_keeps_its_id_and_its_card(home: Home) -> None:
    found = read_folder(home.folder / "set")
    assert named_set(home.session.store, str(home.folder / "set")).card == found.card
    assert artifact_request(home.session.store, str(home.folder / "set"))[1] == found.card


def look(home: Home, place: Path, far: bool) -> None:
    """Do with a set what commands do with it, up to training."""
    session, shown = home.session, named_set(home.session.store, str(place))
    assert {key: shown.card[key] for key in ("ipc", "bytes")} == {key: TRUE[key] for key in ("ipc", "bytes")}
    drawn_from(session.store)(place)
    request, card = artifact_request(session.store, str(place))
    assert {key: card[key] for key in TRUE} == TRUE and request.count == EACH * 10
    distilled = read_set(session.store, request.artifact)
    own = recipes.build(recipe_on(distilled, networks.build(SMALL)))
    check_replay(distilled.labels, own)
    if far:
        session.pool_add("all", [place])
        assert repr(session.pool("all").table())
        asked = {"dataset": ["digits"], "methods": [place], "network": SMALL}
        _, rows, config = session.plan_suite("accuracy", asked)
        assert {row["ipc"] for row in rows if row.get("set")} == {EACH} and config


@pytest.mark.slow
def test_every_edited_card_of_a_set_is_refused_in_a_sentence_or_means_what_its_tensors_say(home: Home) -> None:
    place, taken, refused = home.copy("set"), 0, 0
    for number, (what, card) in enumerate(mutated(home.card("set"))):
        reseal(place, card)
        try:
            look(home, place, number % SPARED == 0 or what.startswith(DECIDING))
            taken += 1
        except StillproofError as error:
            sentence(error)
            refused += 1
        except Exception as error:
            raise AssertionError(f"{what}: {error!r}") from error
    assert refused > 500 and taken > 100 and refused + taken > 1000


@pytest.mark.slow
def test_every_edited_card_of_a_model_is_refused_in_a_sentence_or_is_that_model(home: Home) -> None:
    place, images = home.copy("model"), torch.rand(5, 1, 8, 8, generator=torch.Generator().manual_seed(0))
    stored = read_folder(place)
    expected = load_model(stored.tensors, stored.card, "cpu")(images)
    taken = refused = 0
    for what, card in mutated(home.card("model")):
        reseal(place, card)
        try:
            found = find_model(home.session, place, "digits")
            again = home.session.store.artifacts.read(found.artifact)
            logits = load_model(again.tensors, again.card, "cpu")(images)
            assert torch.equal(logits, expected) or not what.startswith(("recipe", "upstream", "seed", "epoch")), what
            taken += 1
        except StillproofError as error:
            sentence(error)
            refused += 1
        except Exception as error:
            raise AssertionError(f"{what}: {error!r}") from error
    assert refused > 500 and taken > 100


@pytest.mark.parametrize("text", ["NaN", "Infinity", "1e999", "9" * 5000])
def test_numbers_that_are_none_are_refused_when_a_card_is_read(text: str, home: Home) -> None:
    place = home.copy("set")
    written = (place / CARD).read_text().replace(f'"ipc": {EACH}', f'"ipc": {text}')
    (place / CARD).write_text(written)
    with pytest.raises(StillproofError, match="is corrupt"):
        artifact_request(home.session.store, str(place))


def test_labels_under_another_name_are_refused(home: Home) -> None:
    for kind in ("logits", "probs", "per-epoch", "taught", "soft"):
        place = home.copy("set")
        reseal(place, home.card("set") | {"labels": kind, "labels_batch": 4})
        with pytest.raises(StillproofError):
            artifact_request(home.session.store, str(place))


def test_a_gallery_draws_the_images_and_shows_no_picture_that_was_planted(home: Home) -> None:
    honest = home.session.gallery(home.folder / "set").pictures[0]
    place = home.copy("set")
    Image.new("RGB", (300, 300), "red").save(place / "preview.png")
    shown = home.session.gallery(place).pictures[0]
    assert shown.tobytes() == honest.tobytes()
    artifact = read_folder(place).id
    Image.new("RGB", (300, 300), "red").save(home.session.store.artifacts.folder(artifact) / "preview.png")
    assert home.session.gallery(artifact).pictures[0].tobytes() == honest.tobytes()


def test_commands_say_so_without_a_traceback(home: Home, stillproof: Commands) -> None:
    place = home.copy("set")
    reseal(place, home.card("set") | {"space": {"kind": "normalised", "mean": [[0]], "std": 1}})
    train = ["train", str(place), "--network", SMALL, "--recipe", "smoke"]
    run = ["run", "accuracy", "--dataset", "digits", "--scale", "smoke", "--network", SMALL, "--methods", str(place)]
    for argv in (train, run, ["gallery", str(place)], ["audit", str(place)], ["pool", "add", "p", str(place)]):
        done = stillproof(*argv, "--store", str(home.folder / "s.db"), cwd=home.folder)
        assert (done.code, "Traceback" in done.err) == (2, False), (argv, done)
        assert "its card says space.mean" in done.err
