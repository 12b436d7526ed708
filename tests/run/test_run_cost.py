from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.core.types import Distilled, ImageSet
from stillproof.distill.dc import DatasetCondensation
from stillproof.distill.learning.class_means import ClassMeans
from stillproof.nets import compiled
from stillproof.run.plan import Planner
from stillproof.run.stages.cost import step_laps, typical_step
from stillproof.session import Session
from stillproof.suites.requests import Request, distilled, real_images

NETWORK = "convnet-1:width=4"
DIGITS = real_images("digits")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    opened = Session(f"sqlite:///{tmp_path / 's.db'}")
    with opened.store:
        yield opened


def wanted(method: str, steps: int = 3, ipc: int = 1) -> Request:
    return Request("cost", of=distilled(DIGITS, method, ipc, 0, NETWORK, "smoke"), steps=steps)


def cost(session: Session, request: Request) -> Json:
    return session.answer(request)


def test_a_few_steps_tell_what_all_of_them_take(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    loss = ClassMeans.loss

    def watched(self: ClassMeans, images: Tensor, step: int) -> Tensor:
        made.append(step)
        return loss(self, images, step)

    monkeypatch.setattr(ClassMeans, "loss", watched)
    found = cost(session, wanted("dm:steps=1000", steps=3))
    assert made == [0, 1, 2]
    assert (found["steps"], found["steps_timed"], found["extrapolated"]) == (1000, 3, True)
    assert found["step_seconds"] > 0 and found["total_seconds"] > 997 * found["step_seconds"]
    assert found["peak_bytes"] > 1e7 and found["threads"] >= 1
    assert found["others_cpu"] is None or 0 <= found["others_cpu"] <= 1


def test_a_method_that_makes_no_more_steps_is_measured_whole(session: Session) -> None:
    found = cost(session, wanted("dm", steps=50))
    assert (found["steps"], found["steps_timed"], found["extrapolated"]) == (3, 3, False)
    assert found["total_seconds"] > 2 * found["step_seconds"]


@pytest.mark.parametrize("method", ["random", "herding:embedding=pixels", "k-center"])
def test_a_method_without_steps_is_measured_whole(session: Session, method: str) -> None:
    found = cost(session, wanted(method))
    assert (found["step_seconds"], found["steps"], found["steps_timed"]) == (None, None, 0)
    assert not found["extrapolated"]
    assert found["total_seconds"] > 0


def test_a_step_of_several_updates_counts_as_one(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    contexts = []
    distill = DatasetCondensation.distill

    def watched(self: DatasetCondensation, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        contexts.append(ctx)
        return distill(self, data, ipc, ctx)

    monkeypatch.setattr(DatasetCondensation, "distill", watched)
    found = cost(session, wanted("dc:steps=9:outer_loop=3", steps=2))
    laps = contexts[0].laps["steps"]
    assert len(laps) == 6 and found["steps_timed"] == 2
    assert found["step_seconds"] == pytest.approx(sum(laps[3:]))


def test_whitening_and_experts_are_planned_and_their_seconds_told(session: Session) -> None:
    found = cost(session, wanted("mtt:zca=true", steps=1))
    counts = {stage: sum(states.values()) for stage, states in session.store.results.counts().items()}
    assert counts == {"zca": 1, "expert": 2, "cost": 1}
    assert found["shared_seconds"] > 0 and cost(session, wanted("dm"))["shared_seconds"] == 0


def test_few_steps_compile_if_all_would(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "compile", lambda function, **_: function)
    monkeypatch.setattr(compiled, "WORTH_COMPILING", 1e8)
    notes = [cost(session, wanted(f"dm:steps={steps}", steps=1))["notes"] for steps in (1, 10_000)]
    assert [note["compiled"] for note in notes] == [False, True]


def test_nothing_is_left_behind_that_another_cell_could_use(session: Session) -> None:
    request = wanted("dm", steps=1)
    cost(session, request)
    store = session.store
    assert not (store.artifacts.root / ".scratch").exists()
    assert store.results.counts() == {"cost": {"done": 1}}
    made = session.distill("digits", "dm", 1, network=NETWORK, scale="smoke")
    assert "resumed_at" not in made.result["notes"] and len(made.result["history"]) == 3


def test_equal_questions_are_one_whatever_is_left_to_time(tmp_path: Path) -> None:
    planner = Planner(tmp_path)
    assert planner.plan(wanted("dm", 3)) is planner.plan(wanted("dm", 99))
    assert planner.plan(wanted("random", 3)) is planner.plan(wanted("random", 5))
    assert planner.plan(wanted("dm", 2)).id != planner.plan(wanted("dm", 3)).id
    assert all(cell.alone == (cell.stage == "cost") for cell in planner.cells.values())
    with pytest.raises(BadInput, match="at least 1"):
        planner.plan(wanted("dm", 0))


@given(st.integers(1, 20), st.integers(1, 5), st.data())
def test_laps_are_summed_by_step(steps: int, turns: int, data: st.DataObject) -> None:
    laps = data.draw(st.lists(st.integers(0, 1000), min_size=steps * turns, max_size=steps * turns))
    found = step_laps([float(lap) for lap in laps], steps)
    assert found == [float(sum(laps[s * turns : (s + 1) * turns])) for s in range(steps)]


def test_the_first_step_counts_only_where_there_is_no_other() -> None:
    assert [typical_step(seconds) for seconds in ([], [9.0], [9.0, 1.0], [9.0, 1.0, 2.0, 7.0])] == [None, 9.0, 1.0, 2.0]
