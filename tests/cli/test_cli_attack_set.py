"""stillproof attack-set: what it builds, shows and draws, and what it refuses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from commands import Commands, Done
from stillproof import Session
from stillproof.store.artifact_files import read_card
from stillproof.store.store import open_store

ROWS = {"mad/13": "known", "mad/16": "choosing", "mad/18": "known", "mad/27": "unknown"}


@dataclass(frozen=True)
class Place:
    folder: Path
    built: Done
    commands: Commands

    def __call__(self, *argv: str) -> Done:
        return self.commands("attack-set", *argv, cwd=self.folder)


@pytest.fixture(scope="module")
def place(stillproof: Commands, tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("attack-set")
    argv = ("attack-set", "build", "mad-smoke", "--name", "tiny", "--pool", "attacked", "--json")
    return Place(folder, stillproof(*argv, cwd=folder), stillproof)


def test_a_build_tells_what_came_of_each_attack(place: Place) -> None:
    found = place.built.json()
    assert (found["name"], found["dataset"], found["per_class"], found["like"]) == ("tiny", "digits", 6, "mad-smoke")
    assert {one["attack"]: one["role"] for one in found["attacks"]} == ROWS
    for one in found["attacks"]:
        assert one["n"] == 60 and one["reason"] is None and one["artifact"] and one["bytes"] == 60 * 64
        low, high = one["success_ci95"]["float"]
        assert low <= one["success"]["float"] <= high and one["turned"]["float"] > 0


def test_it_is_shown_by_name_by_number_and_as_the_newest(place: Place) -> None:
    whole = place.built.json()
    run = str(whole["run"])
    for argv in ((), ("tiny",), (run,)):
        assert place("show", *argv, "--json").json() == whole
    text = place("show", "tiny").out
    assert "Sources of a class are split once, alike for all attacks (3 train, 1 validation, 2 test)" in text
    assert "mad/27" in text and "EOT-PGD" in text and "Wilson's" in text


def test_a_pool_shows_the_same_numbers(place: Place) -> None:
    whole, pooled = place.built.json(), place("show", "attacked", "--json").json()
    about = [{key: one[key] for key in ("attack", "success", "turned", "n")} for one in whole["attacks"]]
    assert [{key: one[key] for key in about[0]} for one in pooled["attacks"]] == about
    listed = place.commands("pool", "list", "--json", cwd=place.folder).json()["pools"]
    assert [len(pool["members"]) for pool in listed] == [4]


def test_the_same_again_is_the_same_run_and_computes_nothing(place: Place) -> None:
    again = place("build", "mad-smoke", "--json")
    assert again.json()["run"] == place.built.json()["run"] and "cells" not in again.err


def test_one_image_is_drawn_under_all_attacks(place: Place) -> None:
    assert place("gallery", "tiny", "--out", "gallery.png").code == 0
    with Image.open(place.folder / "gallery.png") as picture:
        assert picture.width > 5 * 80 and picture.height > 80
        columns = picture.convert("L").getcolors(256)
    assert columns is not None and len(columns) > 10


def test_a_dry_run_times_images_and_builds_nothing(place: Place) -> None:
    argv = ("build", "mad-smoke", "--attacks", "mad-smoke,mad/1", "--dry-run")
    rows: dict[str, Any] = {one["attack"]: one for one in place(*argv, "--json").json()["attacks"]}
    assert rows["mad/13"]["state"] == "built" and rows["mad/13"]["seconds"] == 0
    timed = rows["mad/1"]
    assert timed["state"] == "timed" and timed["passes"] > 10 and timed["seconds"] > 0 and timed["bytes"] > 60 * 64
    text = place(*argv)
    assert "In all" in text.out and "mad/1" in text.out
    assert len(place("show", "--json").json()["attacks"]) == 4


def test_an_attack_by_number_is_that_of_the_data(place: Place) -> None:
    victim = place.built.json()["model"]
    model = place.commands("status", "--json", cwd=place.folder).json()
    assert victim == "convnet-1 on full digits seed 0" and model
    done = place.commands("attack", "model-35232515-2", "--dataset", "digits", "--attack", "mad/99", cwd=place.folder)
    assert "unknown attack 'mad/99'" in done.sentence()


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("build",), "name one of mad-m, mad-c, mad-t, mad-quick and mad-smoke, or give --dataset and --model."),
        (("build", "mad-y"), "unknown set of attacks 'mad-y'"),
        (("build", "mad-smoke", "--dataset", "digits"), "has its own data set and victim"),
        (("build", "mad-smoke", "--per-class", "99"), "the smallest class of digits has 35 test images"),
        (("build", "mad-smoke", "--attacks", ","), "',' has a comma with nothing before or after it"),
        (("build", "mad-smoke", "--attacks", "pgdd"), "unknown attack 'pgdd'"),
        (("build", "mad-smoke", "--attacks", "mad/31"), "unknown attack 'mad/31'"),
        (("build", "mad-smoke", "--protocol", "fairr"), "unknown protocol 'fairr'"),
        (("build", "mad-smoke", "--split", "1,2,x"), "--split '1,2,x' is not a comma-separated list of whole numbers"),
        (("build", "--dataset", "digits", "--model", "nobody"), "unknown artifact 'nobody'"),
        (("show", "nobody"), "this store has no run 'nobody'"),
    ],
)
def test_what_cannot_be_is_one_sentence(place: Place, argv: tuple[str, ...], said: str) -> None:
    done = place(*argv)
    assert done.code == 2 and said in done.sentence()


def test_an_empty_list_of_attacks_is_not_all_thirty(place: Place) -> None:
    with Session(str(place.folder / "stillproof.db")) as session:
        artifact = session.found_attack_set("tiny").artifacts[0]
        victim = read_card(session.store.artifacts.folder(artifact))["model"]
    done = place("build", "--dataset", "digits", "--model", victim, "--attacks", "", "--dry-run")
    assert done.code == 2 and "no attack is named: name at least one." in done.sentence()


@pytest.mark.parametrize(
    ("pool", "second", "said"),
    [
        ("seeds", ("mad/18:steps=2", "--seed", "1"), "several data sets, models, sizes, seeds or protocols"),
        ("twice", ("mad/13:eps=0.2",), "holds several attacked sets that are called mad/13"),
    ],
)
def test_a_pool_in_which_a_source_may_cross_roles_or_a_name_is_taken_is_refused(
    place: Place, pool: str, second: tuple[str, ...], said: str
) -> None:
    for attack in (("mad/13",), second):
        assert place("build", "mad-smoke", "--pool", pool, "--attacks", *attack).code == 0
    for argv in (("show", pool), ("export", pool, f"out-{pool}"), ("gallery", pool, "--out", f"{pool}.png")):
        assert said in place(*argv).sentence()
    assert not (place.folder / f"out-{pool}").exists()


def test_a_store_without_any_says_how_to_build_one(stillproof: Commands, tmp_path: Path) -> None:
    assert stillproof("attack-set", "show", cwd=tmp_path).code == 4  # there is no store
    open_store(str(tmp_path / "stillproof.db")).close()
    done = stillproof("attack-set", "show", cwd=tmp_path)
    assert done.code == 2 and "no attacked set was built on this store" in done.sentence()
