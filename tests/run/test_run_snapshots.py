from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stillproof.core.errors import CellFailed
from stillproof.run.cell import Cell
from stillproof.run.plan import Planner
from stillproof.run.world import answer_of
from stillproof.session import Session
from stillproof.suites.requests import DataRequest, DistillRequest, SnapshotRequest, TrainRequest

NETWORK = "convnet:depth=1:width=4"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    opened = Session(str(tmp_path / "results.db"))
    yield opened
    opened.close()


def train_on_the_way(session: Session, method: str) -> tuple[Cell, Cell]:
    planner = Planner(session.root)
    made = DistillRequest(DataRequest("digits"), method, 1, 0, NETWORK, "smoke", snapshots=(1,))
    trained = planner.plan(TrainRequest(SnapshotRequest(made, 1), NETWORK, "smoke", 0))
    session.execute(planner)
    return planner.plan(made), trained


def test_a_set_on_the_way_that_was_damaged_is_made_again(session: Session) -> None:
    made, trained = train_on_the_way(session, "dm:steps=2:batch_real=8")
    before = answer_of(trained.id, session.store)["test_accuracy"]
    kept = answer_of(made.id, session.store)["snapshots"]["1"]
    (session.store.artifacts.folder(kept) / "tensors.safetensors").write_bytes(b"")
    session.store.claims.reopen([trained.id])
    with pytest.raises(CellFailed):
        train_on_the_way(session, "dm:steps=2:batch_real=8")
    failed = session.store.results.get(trained.id)
    assert failed is not None and "The same command makes it again" in str(failed.error)
    train_on_the_way(session, "dm:steps=2:batch_real=8")
    assert answer_of(trained.id, session.store)["test_accuracy"] == before


def test_a_method_that_keeps_nothing_on_the_way_says_so(session: Session) -> None:
    with pytest.raises(CellFailed, match="kept no images of step 1"):
        train_on_the_way(session, "random")
