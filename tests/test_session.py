from __future__ import annotations

import logging
from pathlib import Path

import pytest

from stillproof.session import HELDOUT_SEEN, Session
from stillproof.targets import artifact_request

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


def test_snapshots_are_sets_of_their_own(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    session = Session(str(tmp_path / "s.db"))
    with session.store as store:
        long = session.distill("digits", "dm:steps=4:batch_real=8", 1, network=SMALL, snapshots=[0, 2])
        assert set(long.result["snapshots"]) == {"0", "2"}
        # The steps of a shorter run are the first of a longer one, so its result is the longer one's snapshot.
        short = session.distill("digits", "dm:steps=2:batch_real=8", 1, network=SMALL)
        kept = store.artifacts.read(long.result["snapshots"]["2"])
        assert kept.id == short.artifact
        assert store.resolve_artifact(f"{long.name}@0") == long.result["snapshots"]["0"]
        with caplog.at_level(logging.WARNING, logger="stillproof"):
            session.distill("digits", "dm:steps=4:batch_real=8", 1, network=SMALL, snapshots=[3])
        assert "no snapshot of step 3" in caplog.text


def test_an_artifact_made_here_is_the_same_question_as_in_a_suite(tmp_path: Path) -> None:
    session = Session(str(tmp_path / "s.db"))
    with session.store as store:
        made = session.distill("digits", "random", 1, network=SMALL)
        request, card = artifact_request(store, made.name)
        assert request.cell == made.cell
        assert card["ipc"] == 1
        copied, _ = artifact_request(store, str(made.path))
        assert copied == request
