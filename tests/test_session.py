from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PIL import Image

from stillproof.core.errors import BadInput
from stillproof.image_finder import artifact_request
from stillproof.session import Session
from stillproof.suites.fixed_set import HELDOUT_SEEN
from stillproof.suites.requests import distilled, real_images

SMALL = "convnet-1:width=8"


def test_a_set_that_may_have_seen_held_out_images_is_said_to(tmp_path: Path) -> None:
    session = Session(str(tmp_path / "s.db"))
    with session.store as store:
        made = {part: session.distill("digits", "random", 1, network=SMALL, part=part) for part in ("train", "fit")}
        assert "digits/fit@" in store.artifacts.read(made["fit"].artifact).card["data_id"]
        caveats = {}
        for part, found in made.items():
            request, _ = artifact_request(store, found.artifact)
            score = session.train(request, network=SMALL, recipe="smoke", seeds=1, selection="heldout")
            caveats[part] = score.caveats
        assert caveats == {"train": [HELDOUT_SEEN], "fit": []}
        request, _ = artifact_request(store, made["train"].artifact)
        assert session.train(request, network=SMALL, recipe="smoke", seeds=1).caveats == []


def test_snapshots_are_sets_of_their_own(tmp_path: Path) -> None:
    session = Session(str(tmp_path / "s.db"))
    with session.store as store:
        long = session.distill("digits", "dm:steps=4:batch_real=8", 1, network=SMALL, snapshots=[0, 2])
        assert set(long.snapshots) == {0, 2}
        # The steps of a shorter run are the first of a longer one, so its result is the longer one's snapshot.
        short = session.distill("digits", "dm:steps=2:batch_real=8", 1, network=SMALL)
        kept = store.artifacts.read(long.snapshots[2])
        assert kept.id == short.artifact
        assert store.resolve_artifact(f"{long.name}@0") == long.snapshots[0]
        later = session.distill("digits", "dm:steps=4:batch_real=8", 1, network=SMALL, snapshots=[3])
        assert later.cached and store.resolve_artifact(f"{long.name}@3") == later.snapshots[3]


def test_an_artifact_made_here_is_the_same_question_as_in_a_suite(tmp_path: Path) -> None:
    session = Session(str(tmp_path / "s.db"))
    with session.store as store:
        made = session.distill("digits", "random", 1, network=SMALL)
        request, card = artifact_request(store, made.name)
        assert request.cell == made.cell
        assert card["ipc"] == 1
        copied, _ = artifact_request(store, str(made.path))
        assert copied == request


def test_a_set_that_was_lost_is_made_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    session = Session(str(tmp_path / "s.db"))
    with session.store as store:
        made = session.distill("digits", "random", 1, network=SMALL)
        shutil.rmtree(made.path)
        again = session.distill("digits", "random", 1, network=SMALL)
        assert not again.cached
        assert again.artifact == made.artifact
        assert store.artifacts.is_sound(made.artifact)


def test_a_set_that_was_damaged_is_named_and_then_made_again(tmp_path: Path) -> None:
    session = Session(str(tmp_path / "s.db"))
    options = {"dataset": ["digits"], "methods": ["random"], "network": [SMALL], "scale": "smoke", "full_recipe": ""}
    with session.store as store:
        made = session.distill("digits", "random", 1, network=SMALL)
        tensors = made.path / "tensors.safetensors"
        content = bytearray(tensors.read_bytes())
        content[-1] ^= 1
        tensors.write_bytes(content)
        status = session.run_suite("accuracy", options)
        assert "failed" in status.values()
        assert any("makes it again" in note for note in session.table("accuracy").notes)
        assert set(session.run_suite("accuracy", options).values()) == {"done"}
        assert [row["missing"] for row in session.table("accuracy").rows] == [0]
        assert store.artifacts.is_sound(made.artifact)


def test_a_set_of_another_size_is_refused_before_anything_is_trained(tmp_path: Path) -> None:
    session = Session(str(tmp_path / "s.db"))
    with session.store as store:
        made = session.distill("digits", "random", 1, network=SMALL)
        folder = tmp_path / "pets"
        for split in ("train", "test"):
            for shade, label in enumerate(("cat", "dog")):
                (folder / split / label).mkdir(parents=True)
                Image.new("RGB", (16, 16), (90 * shade, 5, 5 + (split == "test"))).save(
                    folder / split / label / "1.png"
                )
        request, _ = artifact_request(store, made.artifact, str(folder))
        with pytest.raises(BadInput, match="10 classes"):
            session.train(request, network=SMALL, recipe="smoke", seeds=1)
        assert "train" not in store.results.counts()


def test_a_file_of_the_configuration_names_its_scale(tmp_path: Path) -> None:
    session = Session(str(tmp_path / "s.db"))
    with session.store:
        _, _, config = session.plan_suite("accuracy", {"scale": "smoke", "dataset": ["digits"]})
        assert (config["recipe"], config["seeds"], config["scale"]) == ("smoke", 2, "smoke")
        _, _, config = session.plan_suite("accuracy", {"dataset": ["digits"]})
        assert (config["recipe"], config["scale"]) == ("quick", "quick")


def test_a_set_that_is_yet_to_be_made_can_be_trained_on(tmp_path: Path) -> None:
    session = Session(str(tmp_path / "s.db"))
    made = distilled(real_images("digits"), "random", 1, 0, SMALL)
    score = session.train(made, network=SMALL, recipe="smoke", seeds=1)
    assert score.dataset == "digits" and score.caveats == []
    biased = session.train(made, network=SMALL, recipe="smoke", seeds=1, selection="heldout")
    assert "may have been made from held-out images" in biased.caveats[0]
    session.close()


def test_a_set_of_dc_is_trained_on_as_the_network_asks_for(tmp_path: Path) -> None:
    session = Session(str(tmp_path / "s.db"))
    with session.store as store:
        made = session.distill("digits", "dc:steps=0", 1, network="convnet-1:width=1")
        request, _ = artifact_request(store, made.name)
        score = session.train(request, network="convnet-1-bn:width=1", seeds=1)
    assert score.recipe == "dc-bench-dsa:augment=dc-aug(strategy=crop_noise)"
