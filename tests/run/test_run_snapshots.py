from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from stillproof.core.context import Context
from stillproof.core.errors import BadInput, CellFailed, StillproofError
from stillproof.core.spec import Json
from stillproof.run.cell import Cell
from stillproof.run.plan import Planner
from stillproof.run.stage import answer_of
from stillproof.session import Session
from stillproof.store.store import Store
from stillproof.suites.requests import Request, distilled, real_images, snapshot, trained

NETWORK = "convnet:depth=1:width=4"
DM = "dm:steps=4:batch_real=8"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    opened = Session(str(tmp_path / "results.db"))
    yield opened
    opened.close()


def made(method: str = DM) -> Request:
    return distilled(real_images("digits"), method, 1, 0, NETWORK, "smoke")


def train_on_the_way(session: Session, step: int = 1) -> tuple[Cell, Cell]:
    planner = Planner(session.root)
    kept = planner.plan(snapshot(made(), step))
    training = planner.plan(trained(snapshot(made(), step), NETWORK, "smoke", 0))
    session.execute(planner)
    return kept, training


def images(session: Session, answer: Json) -> torch.Tensor:
    return session.store.artifacts.read(answer["artifact"]).tensors["images"]


def test_a_set_on_the_way_that_was_damaged_is_made_again(session: Session) -> None:
    kept, training = train_on_the_way(session)
    before = answer_of(training.id, session.store)["test_accuracy"]
    artifact = answer_of(kept.id, session.store)["artifact"]
    tensors = session.store.artifacts.folder(artifact) / "tensors.safetensors"
    content = bytearray(tensors.read_bytes())
    content[-1] ^= 1  # which shows only when it is read
    tensors.write_bytes(content)
    session.store.claims.reopen([training.id])
    with pytest.raises(CellFailed):
        train_on_the_way(session)
    failed = session.store.results.get(training.id)
    assert failed is not None and "The same command makes it again" in str(failed.error)
    train_on_the_way(session)
    assert answer_of(training.id, session.store)["test_accuracy"] == before
    assert answer_of(kept.id, session.store)["artifact"] == artifact


@pytest.mark.parametrize("step", [0, 1, 3, 4])
def test_a_step_that_was_not_kept_is_made_again_to_the_same_bytes(tmp_path: Path, step: int) -> None:
    found = []
    for kept in (True, False):
        session = Session(str(tmp_path / f"{kept}.db"))
        if not kept:
            session.answer(made())  # without a hint that the step is wanted
        answer = session.answer(snapshot(made(), step))
        found.append((answer["artifact"], images(session, answer)))
        assert bool(session.answer(made())["snapshots"]) == kept
        session.close()
    assert found[0][0] == found[1][0] and torch.equal(found[0][1], found[1][1])


def test_the_command_line_and_a_suite_ask_the_same_question(session: Session) -> None:
    kept = session.distill("digits", DM, 1, network=NETWORK, scale="smoke", snapshots=[1, 2]).snapshots
    planner = Planner(session.root)
    planner.plan(snapshot(made(), 1))
    planner.plan(snapshot(made(), 2))
    assert set(session.store.results.statuses(list(planner.cells)).values()) == {"done"} and len(planner.cells) == 3
    assert session.store.snapshots_of(session.answer(made())["artifact"]) == kept


def test_asking_for_steps_makes_no_other_set_of_it(session: Session) -> None:
    plain = Planner(session.root).plan(made()).id
    planner = Planner(session.root)
    planner.plan(snapshot(made(), 1))
    assert plain in planner.cells


@pytest.mark.parametrize(
    ("method", "step", "words"),
    [("random", 1, "does not go in steps"), (DM, 5, "has no step 5: it makes 4 steps"), (DM, -1, "has no step -1")],
)
def test_steps_that_there_are_not_are_refused_while_planning(
    session: Session, method: str, step: int, words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        Planner(session.root).plan(snapshot(made(method), step))


def test_a_method_that_keeps_nothing_on_the_way_says_so(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Context, "snapshot", lambda *_, **__: None)
    with pytest.raises(StillproofError, match="dm keeps no images of step 1: it takes no snapshots"):
        session.answer(snapshot(made(), 1))


def test_the_last_step_is_the_result_itself_and_keeps_its_name(session: Session) -> None:
    first = session.distill("digits", DM, 1, network=NETWORK, scale="smoke")
    later = session.distill("digits", DM, 1, network=NETWORK, scale="smoke", snapshots=[2, 4])
    assert later.snapshots[4] == first.artifact and session.store.resolve_artifact(first.name) == first.artifact
    assert set(session.store.snapshots_of(first.artifact)) == {2}


def test_what_a_stopped_snapshot_had_kept_and_was_damaged_is_made_again(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.answer(made())  # without the step, so that it has to be made alone
    with monkeypatch.context() as patch:
        patch.setattr(Store, "drop_scratch", lambda *_: None)  # as if it was stopped just before its end
        artifact = session.answer(snapshot(made(), 2))["artifact"]
    (file,) = (session.store.artifacts.root / ".scratch").rglob("snapshot-2*")
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    shutil.rmtree(session.store.artifacts.folder(artifact))
    assert session.answer(snapshot(made(), 2))["artifact"] == artifact
    assert session.store.artifacts.is_sound(artifact)
