"""Plans with several rounds, and several workers that plan and compute them."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import update

from stillproof.core.components import stages
from stillproof.core.spec import Json, digest
from stillproof.run import worker
from stillproof.run.cell import Cell
from stillproof.run.enter import enter
from stillproof.run.plan import Planner
from stillproof.run.queue import Queue
from stillproof.run.stage import Answer, Job, Options, Stage
from stillproof.run.worker import Duties, Worker
from stillproof.store.clock import Now
from stillproof.store.owner import this_owner
from stillproof.store.schema import plans
from stillproof.store.store import Store, open_store
from stillproof.verbs.rounds import Rounds
from stillproof.verbs.running import AskedRun

DEAD = this_owner().rsplit("/", 2)[0] + "/999999999/1+1"
QUESTION = {"suite": "accuracy", "options": {}}


@dataclass(frozen=True)
class Named(Stage):
    @staticmethod
    def compute(job: Job) -> Answer:
        return Answer({"name": job.spec["name"]})


def a_cell(name: str, **more: object) -> Cell:
    spec = {"name": name, **more}
    return Cell(digest(spec), "named", spec, {"flops": 0.0}, (), 0.0, name)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    stages.register("named", version=1)(Named)
    monkeypatch.setattr(worker, "POLL_SECONDS", 0.01)
    with open_store(str(tmp_path / "s.db")) as opened:
        yield opened
    stages.remove(__name__)


def a_planner(*cells: Cell) -> Planner:
    planner = Planner(Path())
    planner.cells = {cell.id: cell for cell in cells}
    return planner


def an_open_plan(store: Store, *cells: Cell, question: Json | None = None, of: tuple[Cell, ...] = ()) -> int:
    """Enter a run whose first round is these cells, and whose table has those."""
    rows = [{"method": "x", "cells": [cell.id for cell in of or cells]}]
    run = store.results.save_run("accuracy", {}, rows)
    plan = store.plans.begin(run, question=QUESTION if question is None else question)
    return enter(store, cells, plan=plan, is_open=True)


def a_worker(store: Store, plan: int, on_plan_end: Callable[[str], bool]) -> Worker:
    return Worker(store, Options(store.url, Path(), "cpu"), [plan], Duties(on_plan_end=on_plan_end, stays=False))


def end(store: Store, *cells: Cell) -> None:
    for cell in cells:
        assert store.claims.claim([cell.id], "me", 60.0) == cell.id
        store.claims.finish(cell.id, "me", {}, 1.0, {})


def refused(asked: AskedRun) -> Planner:
    raise AssertionError("it must not be planned")


def test_a_worker_stays_while_another_plans_the_next_round(store: Store) -> None:
    first, second = a_cell("first"), a_cell("second")
    plan = an_open_plan(store, first)
    end(store, first)
    assert store.plans.claim_planning(plan, "elsewhere/1/1")
    waiting = a_worker(store, plan, Rounds(store, refused, [plan]))

    def plan_later() -> None:
        time.sleep(0.3)
        enter(store, [first, second], plan=plan)

    thread = threading.Thread(target=plan_later)
    thread.start()
    waiting.run()
    thread.join()
    assert waiting.computed == 1 and store.plans.left(plan) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who lives")
def test_the_planning_of_a_worker_that_died_is_taken_over_at_once(store: Store) -> None:
    first = a_cell("first")
    plan = an_open_plan(store, first)
    end(store, first)
    assert store.plans.claim_planning(plan, DEAD)
    with store.database.write() as connection:
        connection.execute(update(plans).values(lease_until=Now() + 500.0))
    state = store.plans.get(plan)
    assert state is not None and not state.planning and not Queue(store, [plan], "cpu").may_get_more()
    assert store.plans.claim_planning(plan, "me")


def test_the_planning_of_a_living_worker_is_not_taken_over(store: Store) -> None:
    first = a_cell("first")
    plan = an_open_plan(store, first)
    end(store, first)
    assert store.plans.claim_planning(plan, "elsewhere/1/1")
    assert not store.plans.claim_planning(plan, "me")


def test_planning_that_is_interrupted_is_given_up(store: Store) -> None:
    first = a_cell("first")
    plan = an_open_plan(store, first)

    def interrupted(asked: AskedRun) -> Planner:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        a_worker(store, plan, Rounds(store, interrupted, [plan])).run()
    assert store.plans.claim_planning(plan, "another")


def test_a_round_that_somebody_else_has_entered_meanwhile_is_no_trouble(store: Store) -> None:
    """As where `run` and `work` plan the same round at once."""
    first, second = a_cell("first"), a_cell("second")
    waits = Cell("0" * 64, "named", {}, {}, (), 0.0, "waits", open=True)
    plan = an_open_plan(store, first)
    end(store, first)
    rounds = Rounds(store, lambda asked: a_planner(first, second, waits), [plan])
    assert store.plans.claim_planning(plan, "me")
    enter(store, [first, second], plan=plan, is_open=True)
    assert store.plans.claim_planning(plan, "me") is False
    assert rounds._plan(plan)
    state = store.plans.get(plan)
    assert state is not None and state.trouble is None and state.open


def test_a_round_of_other_cells_than_the_table_has_is_not_entered(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """As by a worker of another release, or without some of the data."""
    first, wanted = a_cell("first"), a_cell("wanted")
    plan = an_open_plan(store, first, of=(wanted,))
    end(store, first)
    other = a_cell("wanted", generation=2)
    assert not Rounds(store, lambda asked: a_planner(first, other), [plan])("me")
    assert "has other cells here than when it was planned" in caplog.text
    assert list(store.plans.statuses(plan)) == [first.id]
    assert Rounds(store, lambda asked: a_planner(first, wanted), [plan])("of the same code")
    assert list(store.plans.statuses(plan)) == [first.id, wanted.id]


@pytest.mark.parametrize(
    "question", [{}, {"who": "knows"}, {"suite": 5, "options": {}}, {"suite": "accuracy", "options": [1]}]
)
def test_a_question_that_is_none_is_told_as_the_trouble_of_its_plan(store: Store, question: Json) -> None:
    first = a_cell("first")
    plan = an_open_plan(store, first, question=question)
    end(store, first)
    assert not Rounds(store, refused, [plan])("me")
    state = store.plans.get(plan)
    assert state is not None and state.trouble == "what it asks was changed in the store to what is no question"
