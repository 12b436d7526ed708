from __future__ import annotations

from pathlib import Path

import torch

from stillproof.api import evaluate
from stillproof.image_finder import artifact_request
from stillproof.report.store_status import status_of
from stillproof.session import Session
from stillproof.store.owner import this_owner
from stillproof.store.records import NewCell
from stillproof.store.store import open_store

SMALL = "convnet-1:width=4"
OPTIONS = {"dataset": ["digits"], "methods": ["random"], "network": [SMALL], "scale": "smoke", "seeds": 1}


def test_runs_and_single_calls_are_listed_with_what_is_done(tmp_path: Path) -> None:
    file = str(tmp_path / "s.db")
    session = Session(file)
    made = session.distill("digits", "random", 1, network=SMALL)
    request, _ = artifact_request(session.store, made.name)
    score = session.train(request, network=SMALL, recipe="smoke", seeds=2)
    session.run_suite("accuracy", {**OPTIONS, "full_recipe": ""}, name="first", note="before the talk")
    session.run_suite("accuracy", {**OPTIONS, "full_recipe": ""})
    found = status_of(session.store)
    (run,) = found.runs
    assert (run.run.name, run.run.note, run.datasets, run.methods) == (
        "first",
        "before the talk",
        ["digits"],
        ["random"],
    )
    assert run.progress() == "1 of 1"
    trained, distilled = found.calls
    assert (trained.run.verb, distilled.run.verb) == ("train", "distill") and distilled.accuracy is None
    assert trained.accuracy == score.accuracy and trained.methods == [made.name]
    session.close()
    tensors = torch.rand(10, 1, 8, 8, generator=torch.Generator().manual_seed(0)), torch.arange(10)
    own = evaluate(*tensors, dataset="digits", network=SMALL, recipe="smoke", seeds=1, store=file)
    with open_store(file) as store:
        newest = status_of(store).calls[0]
        assert newest.accuracy == own.accuracy and newest.as_dict()["dataset"] == "digits"


def test_what_is_not_done_is_counted_and_what_nothing_needs_is_named(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "s.db")) as store:
        cells = [letter * 64 for letter in "abcd"]
        store.results.put([NewCell(cell, "train", {}, {}) for cell in cells])
        store.results.save_run(
            "accuracy", {}, [{"cells": cells[:3]}, {"cells": ["e" * 64]}, {"cells": [], "reason": "no"}]
        )
        for cell in cells[:2]:
            store.claims.claim([cell], "me", 60.0)
        store.claims.finish(cells[0], "me", {}, 1.0, {})
        store.claims.fail(cells[1], "me", "it went off")
        (store.checkpoints / "f00f").mkdir(parents=True)
        found = status_of(store)
        assert found.runs[0].progress() == "1 of 4, 1 failed", "one was never entered"
        said = found.as_dict()
        assert said["leftovers"] == [{"cell": cells[3], "stage": "train", "state": "pending"}]
        assert said["checkpoints"] == [str(store.checkpoints / "f00f")]
        store.claims.claim([cells[2]], "me", -1.0)
        assert status_of(store).runs[0].progress() == "1 of 4, 1 failed, 1 abandoned", "who was at it died"
        store.claims.claim([cells[2]], this_owner(), 60.0)
        assert status_of(store).runs[0].progress() == "1 of 4, 1 failed, 1 running"
        store.claims.claim([cells[3]], "me", -1.0)
        assert status_of(store).cells == {"train": {"abandoned": 1, "done": 1, "failed": 1, "running": 1}}
