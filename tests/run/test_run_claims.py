from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from stillproof.core.components import stages
from stillproof.core.seeds import Seeds
from stillproof.core.spec import digest
from stillproof.run import heartbeat, waiting, worker
from stillproof.run.cell import Cell
from stillproof.run.enter import enter
from stillproof.run.executor import Work
from stillproof.run.stage import Answer, Job, Options, Stage
from stillproof.run.this_process import run_in_this_process
from stillproof.store.failure_text import sentence_of
from stillproof.store.owner import this_owner
from stillproof.store.records import Record
from stillproof.store.store import Store, open_store

LONG = 60.0  # seconds; no test waits for it
order: list[str] = []  # names of cells, as they were begun
begun = threading.Event()  # by the cell that is to be lost


def a_cell(name: str, does: str = "works") -> Cell:
    spec = {"name": name, "does": does}
    return Cell(digest(spec), "test", spec, {"flops": 0.0}, (), 0.0, name)


@dataclass(frozen=True)
class Long(Stage):
    @staticmethod
    def compute(job: Job) -> Answer:
        does, first = job.spec["does"], job.spec["name"] not in order
        order.append(job.spec["name"])
        if does == "works" or not first:
            return Answer({"try": order.count(job.spec["name"])})
        begun.set()
        end = time.monotonic() + LONG
        if does == "reports":
            while time.monotonic() < end:
                job.report(0.5)
                time.sleep(0.01)
        if does == "sleeps":
            time.sleep(LONG)
        if does == "takes all exceptions":
            while time.monotonic() < end:
                try:
                    time.sleep(LONG)
                except Exception:  # as components may
                    continue
        if does == "saves":
            weights = torch.zeros(3)
            for _ in job.context(Seeds(0)).loop(10**9, weights=weights):
                weights += 1
                time.sleep(0.01)
        return Answer({"too": "late"})


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    stages.register("test", version=1)(Long)
    order.clear()
    begun.clear()
    monkeypatch.setattr(worker, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.02)
    monkeypatch.setattr(heartbeat, "GRACE_SECONDS", 0.1)
    with open_store(str(tmp_path / "s.db")) as opened:
        yield opened
    stages.remove(__name__)


def work(store: Store, *cells: Cell, **options: float) -> dict[str, str]:
    plan = enter(store, cells)
    asked = Options(store.url, Path(), "cpu", checkpoint_seconds=0.0, **options)  # type: ignore[arg-type]
    run_in_this_process(Work(store, plan, cells, asked, [], lambda *_: None))
    statuses = store.results.statuses([cell.id for cell in cells])
    return {cell.label: statuses[cell.id] for cell in cells}


def meanwhile(act: Callable[[], object]) -> threading.Thread:
    """Act in another thread as soon as the cell that is to be lost is computed."""

    def wait_and_act() -> None:
        assert begun.wait(LONG)
        act()

    thread = threading.Thread(target=wait_and_act)
    thread.start()
    return thread


def record_of(store: Store, cell: Cell) -> Record:
    record = store.results.get(cell.id)
    assert record is not None
    return record


@pytest.mark.parametrize("does", ["reports", "sleeps", "takes all exceptions", "saves"])
def test_a_released_cell_is_left_at_once_for_the_others_and_then_tried_again(
    store: Store, does: str, caplog: pytest.LogCaptureFixture
) -> None:
    lost, other = a_cell("lost", does), a_cell("other")
    thread = meanwhile(lambda: store.claims.free(lost.id))
    began = time.monotonic()
    assert work(store, lost, other) == {"lost": "done", "other": "done"}
    thread.join()
    assert time.monotonic() - began < LONG / 4
    assert order == ["lost", "other", "lost"], "the others go on first"
    assert record_of(store, lost).result == {"try": 2}
    assert [f"cell {lost.id[:12]} is no longer held by process" in line for line in caplog.messages] == [True]
    assert not store.scratch(lost.id).exists()


def test_a_successor_keeps_its_answer_and_its_checkpoint(store: Store) -> None:
    lost, successor = a_cell("lost", "saves"), "elsewhere/1/1"
    file = store.scratch(lost.id) / "steps.elsewhere-1.checkpoint"

    def take_over() -> None:
        while not any(store.scratch(lost.id).glob("*.checkpoint")):
            time.sleep(0.001)
        store.claims.free(lost.id)
        assert store.claims.claim([lost.id], successor, LONG) == lost.id
        file.write_bytes(b"of the successor")
        time.sleep(0.5)
        kept.append(file.read_bytes())
        store.claims.finish(lost.id, successor, {"by": "the successor"}, 1.0, {})

    kept: list[bytes] = []
    thread = meanwhile(take_over)
    assert work(store, lost) == {"lost": "done"}
    thread.join()
    assert kept == [b"of the successor"] and file.read_bytes() == kept[0]
    assert record_of(store, lost).result == {"by": "the successor"} and order == ["lost"]


@pytest.mark.parametrize("does", ["reports", "sleeps"])
def test_a_cell_over_the_limit_fails_with_that_reason_and_the_rest_goes_on(store: Store, does: str) -> None:
    slow, other = a_cell("slow", does), a_cell("other")
    began = time.monotonic()
    assert work(store, slow, other, cell_limit=0.3) == {"slow": "failed", "other": "done"}
    assert 0.3 < time.monotonic() - began < LONG / 4
    record = record_of(store, slow)
    assert "took longer than 0 s, the limit for one cell" in sentence_of(record.error)
    assert record.seconds is not None and record.seconds >= 0.3
    assert work(store, slow, cell_limit=LONG) == {"slow": "done"}, "what failed is tried again"


def test_in_a_thread_a_cell_is_left_where_it_says_how_far_it_is(store: Store) -> None:
    slow, found = a_cell("slow", "reports"), dict[str, str]()
    thread = threading.Thread(target=lambda: found.update(work(store, slow, cell_limit=0.3)))
    thread.start()
    thread.join(LONG / 4)
    assert found == {"slow": "failed"}


def test_a_claim_that_an_ended_worker_of_this_process_left_behind_is_taken(store: Store) -> None:
    from stillproof.store.owner import worker_name

    left = a_cell("left")
    enter(store, [left])
    with worker_name() as owner:
        assert store.claims.claim([left.id], owner, LONG) == left.id
    assert work(store, left) == {"left": "done"}


def test_whoever_waits_for_a_silent_process_says_so_once(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(waiting, "LOOK_SECONDS", 0.01)
    held = a_cell("held")
    enter(store, [held])
    assert store.claims.claim([held.id], this_owner(), -1.0) == held.id

    def free_when_it_was_said() -> None:
        while not caplog.messages:
            time.sleep(0.01)
        time.sleep(0.2)
        assert store.claims.free(held.id) == this_owner()

    thread = threading.Thread(target=free_when_it_was_said)
    thread.start()
    caplog.set_level(logging.WARNING)
    assert work(store, held) == {"held": "done"}
    thread.join()
    (said,) = caplog.messages
    assert f"waiting: cell {held.id[:12]} (test) is held by process" in said
    assert f"`stillproof status --release {held.id[:12]}`" in said
