from __future__ import annotations

import dataclasses
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from sqlalchemy import update

from stillproof.core.components import stages
from stillproof.core.errors import Corrupt, LeaseLost, StoreError, Unsupported
from stillproof.core.repetitions import repetitions
from stillproof.core.spec import digest
from stillproof.run import heartbeat, queue, worker
from stillproof.run.cell import Cell
from stillproof.run.enter import enter
from stillproof.run.executor import Work
from stillproof.run.heartbeat import Ended, Heartbeat
from stillproof.run.queue import Queue
from stillproof.run.stage import Answer, Job, Options, Stage
from stillproof.run.this_process import run_in_this_process, stoppable
from stillproof.run.worker import Duties, Worker
from stillproof.store.failure_text import sentence_of
from stillproof.store.schema import cells as cells_table
from stillproof.store.store import Store, open_store


def a_cell(name: str, does: str = "works", needs: tuple[str, ...] = ()) -> Cell:
    spec = {"name": name, "does": does}
    return Cell(digest(spec), "test", spec, {"flops": 0.0}, needs, 0.0, name)


@dataclass(frozen=True)
class Moody(Stage):
    @staticmethod
    def compute(job: Job) -> Answer:
        does = job.spec["does"]
        if does == "gives NaN":
            return Answer({"loss": float("nan")})
        if does == "is unsupported":
            raise Unsupported("it has no answer.")
        if does == "reads a corrupt file":
            raise Corrupt("its hash is another.")
        if does == "finds no space":
            raise StoreError("there is no space left.")
        if does == "counts":
            return Answer({"times": repetitions()})
        if does == "stops the user's way":
            signal.raise_signal(signal.SIGTERM)
        if does == "is stopped while it takes a lock":
            lock = threading.Lock()
            with lock:
                lock.release()  # as if it had not been taken yet: its release fails, and covers up the interruption
                raise KeyboardInterrupt
        return Answer({"fine": True})


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    stages.register("test", version=1)(Moody)
    monkeypatch.setattr(worker, "POLL_SECONDS", 0.01)
    with open_store(str(tmp_path / "s.db")) as opened:
        yield opened
    stages.remove(__name__)


def work(store: Store, *cells: Cell) -> dict[str, str]:
    plan = enter(store, cells)
    run_in_this_process(Work(store, plan, cells, Options(store.url, Path(), "cpu"), [], lambda *_: None))
    statuses = store.results.statuses([cell.id for cell in cells])
    return {cell.label: statuses[cell.id] for cell in cells}


def error_of(store: Store, cell: Cell) -> str:
    record = store.results.get(cell.id)
    assert record is not None and record.error is not None
    return record.error


def test_an_answer_that_cannot_be_stored_fails_its_cell_alone(store: Store) -> None:
    bad, good = a_cell("bad", "gives NaN"), a_cell("good")
    assert work(store, bad, good) == {"bad": "failed", "good": "done"}
    assert "cannot be stored as JSON" in error_of(store, bad)


def test_a_corrupt_artifact_fails_its_cell_alone(store: Store) -> None:
    bad, good = a_cell("bad", "reads a corrupt file"), a_cell("good")
    assert work(store, bad, good) == {"bad": "failed", "good": "done"}


@pytest.mark.parametrize(("does", "status"), [("is unsupported", "unsupported"), ("reads a corrupt file", "failed")])
def test_what_needs_a_cell_ends_as_it_ended_and_in_its_words(store: Store, does: str, status: str) -> None:
    first = a_cell("first", does)
    second = a_cell("second", needs=(first.id,))
    third = a_cell("third", needs=(second.id,))
    assert work(store, first, second, third) == dict.fromkeys(("first", "second", "third"), status)
    assert error_of(store, second) == error_of(store, third)
    assert error_of(store, third) == f"not computed: first ended as {status}: {sentence_of(error_of(store, first))}"


def test_a_search_of_learning_rates_shares_its_compiled_code(store: Store) -> None:
    recipes = ["quick:epochs=3", "quick:epochs=3:lr=0.1", "quick:lr=0.5:epochs=3", "quick:epochs=4", "real"]
    cells = [dataclasses.replace(a_cell(name, "counts"), where={"recipe": name}) for name in recipes]
    assert set(work(store, *cells).values()) == {"done"}
    records = store.results.get_many([cell.id for cell in cells])
    times = [result["times"] for cell in cells if (result := records[cell.id].result)]
    assert sorted(times[:3]) == [1, 2, 3], "those that are still to come, and itself"
    assert times[3:] == [1, 1]


def test_no_space_stops_the_run_and_gives_the_claim_back(store: Store) -> None:
    bad, good = a_cell("bad", "finds no space"), a_cell("good")
    with pytest.raises(StoreError, match="no space"):
        work(store, bad, good)
    assert set(store.results.statuses([bad.id, good.id]).values()) == {"pending"}


@pytest.mark.parametrize("does", ["stops the user's way", "is stopped while it takes a lock"])
def test_stopped_while_computing(store: Store, does: str) -> None:
    cell = a_cell("stopped", does)
    with pytest.raises(KeyboardInterrupt):
        work(store, cell)
    record = store.results.get(cell.id)
    assert record is not None and (record.status, record.owner, record.attempts) == ("pending", None, 0)


def test_stopped_between_claim_and_computing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [a_cell(str(number)) for number in range(3)]
    claim = store.claims.claim

    def claim_and_stop(*args: Any) -> str | None:
        claim(*args)
        raise KeyboardInterrupt

    monkeypatch.setattr(store.claims, "claim", claim_and_stop)
    with pytest.raises(KeyboardInterrupt):
        work(store, *cells)
    assert set(store.results.statuses([cell.id for cell in cells]).values()) == {"pending"}


def test_sigterm_is_handled_only_inside_and_threads_may_run_too(store: Store) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), stoppable():
        os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before
    found: dict[str, str] = {}
    thread = threading.Thread(target=lambda: found.update(work(store, a_cell("in a thread"))))
    thread.start()
    thread.join()
    assert found == {"in a thread": "done"}


def test_a_cell_that_another_living_process_holds_is_waited_for(store: Store) -> None:
    held, free = a_cell("held"), a_cell("free")
    enter(store, [held, free])
    other = "elsewhere/1/1"
    assert store.claims.claim([held.id], other, 60.0) == held.id

    def finish_later() -> None:
        while store.results.statuses([free.id]) != {free.id: "done"}:
            time.sleep(0.01)
        store.claims.finish(held.id, other, {"from": "elsewhere"}, 1.0, {})

    thread = threading.Thread(target=finish_later)
    thread.start()
    assert work(store, held, free) == {"held": "done", "free": "done"}
    thread.join()
    record = store.results.get(held.id)
    assert record is not None and record.result == {"from": "elsewhere"}


def test_a_cell_whose_owner_let_its_lease_run_out_is_taken_over(store: Store) -> None:
    held = a_cell("held")
    enter(store, [held])
    assert store.claims.claim([held.id], "elsewhere/1/1", 0.0) == held.id
    time.sleep(0.01)
    assert work(store, held) == {"held": "done"}
    with pytest.raises(LeaseLost):
        store.claims.finish(held.id, "elsewhere/1/1", {"from": "the slow one"}, 1.0, {})


def test_more_cells_held_elsewhere_than_one_claim_looks_at(store: Store) -> None:
    cells = [a_cell(str(number)) for number in range(queue.OFFERED + 5)]
    plan = enter(store, cells)
    for cell in cells[:-1]:
        store.claims.claim([cell.id], "elsewhere/1/1", 60.0)
    offer = Queue(store, [plan], "cpu").offer()
    assert offer is not None and store.claims.claim(offer.cells, "me", 60.0) == cells[-1].id


def test_a_cell_whose_question_was_changed_in_the_store_is_not_computed_under_its_old_name(store: Store) -> None:
    cell, good = a_cell("changed"), a_cell("good")
    enter(store, [cell])
    with store.database.write() as connection:
        connection.execute(update(cells_table).values(spec='{"name":"changed","does":"counts"}'))
    assert work(store, cell, good) == {"changed": "failed", "good": "done"}
    assert "its question in the database is not the one that it is named after" in error_of(store, cell)


def test_a_time_of_another_machine_is_not_measured_here_though_its_worker_is_silent(store: Store) -> None:
    elsewhere = dataclasses.replace(a_cell("timed"), alone=True)
    plan = enter(store, [elsewhere])
    with store.database.write() as connection:
        connection.execute(update(cells_table).values(machine='{"cores":9999}'))
    assert store.claims.claim([elsewhere.id], "elsewhere/1/1", 0.0) == elsewhere.id
    time.sleep(0.01)
    Worker(store, Options(store.url, Path(), "cpu"), [plan], Duties(stays=False)).run()
    record = store.results.get(elsewhere.id)
    assert record is not None and (record.status, record.owner) == ("running", "elsewhere/1/1")


def test_a_failure_ends_the_plan_that_asked_for_that_and_no_other(store: Store) -> None:
    bad, after, other = a_cell("bad", "gives NaN"), a_cell("after"), a_cell("other")
    strict, lenient = enter(store, [bad, after]), enter(store, [bad, other])
    for _ in range(2):  # the second time, it failed before
        duties = Duties(stays=False, stop_at_failure=[strict])
        Worker(store, Options(store.url, Path(), "cpu"), [strict, lenient], duties).run()
    found = store.results.statuses([bad.id, after.id, other.id])
    assert (found[bad.id], found[after.id], found[other.id]) == ("failed", "pending", "done")


def test_a_run_goes_on_where_a_worker_enters_the_next_round_of_its_plan(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "SHOW_SECONDS", -1.0)
    first, entered = a_cell("first"), a_cell("entered by another")
    plan = enter(store, [first, entered])
    shown: list[set[str]] = []

    def show(status: dict[str, str], shares: dict[str, float], said: dict[str, str]) -> None:
        shown.append({*status, *shares, *said})

    run_in_this_process(Work(store, plan, [first], Options(store.url, Path(), "cpu"), [], show))
    assert store.plans.left(plan) == 0 and set().union(*shown) == {first.id}


def test_a_store_that_is_away_is_said_once_and_survived(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.001)
    away = Mock()
    away.claims.renew.side_effect = StoreError("store s.db was locked.")
    with caplog.at_level(logging.WARNING), Heartbeat(away, "c" * 64, "me"):
        _wait_until(lambda: away.claims.renew.call_count >= 5)
    assert [record.getMessage() for record in caplog.records] == [
        "the claim on cell cccccccccccc was not renewed: store s.db was locked."
    ]


def test_a_lost_lease_is_not_asked_for_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.001)
    cell = a_cell("lost")
    enter(store, [cell])
    assert store.claims.claim([cell.id], "next/1/1", 60.0) == cell.id
    with pytest.raises(Ended), Heartbeat(store, cell.id, "before/1/1") as beating:
        _wait_until(lambda: beating.reason is not None)
        assert store.claims.free(cell.id) and store.claims.claim([cell.id], "before/1/1", 60.0) == cell.id
        time.sleep(0.1)
        beating.report(0.5)
    record = store.results.get(cell.id)
    assert isinstance(beating.reason, LeaseLost) and record is not None and record.progress == 0.0


def _wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    assert condition()


def test_the_first_failure_ends_the_work_if_it_is_to(store: Store) -> None:
    cells = (a_cell("odd", "is unsupported"), a_cell("bad", "gives NaN"), a_cell("good"))
    asked = Work(
        store, enter(store, cells), cells, Options(store.url, Path(), "cpu"), [], lambda *_: None, stop_at_failure=True
    )
    assert not asked.must_stop()
    run_in_this_process(asked)
    found = store.results.statuses([cell.id for cell in cells])
    assert list(map(found.get, (cell.id for cell in cells))) == ["unsupported", "failed", "pending"]
    assert asked.must_stop()


def test_a_cell_that_somebody_removed_ends_the_work_with_a_sentence(store: Store) -> None:
    there, gone = a_cell("there"), a_cell("gone")
    plan = enter(store, [there])
    with pytest.raises(StoreError, match="gone was removed from the store by another process: give the command again"):
        run_in_this_process(Work(store, plan, (there, gone), Options(store.url, Path(), "cpu"), [], lambda *_: None))
