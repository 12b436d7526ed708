"""Sixteen processes on one store, whose server is killed again and again: no cell is lost, none is computed twice."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from sqlalchemy import select

from postgres_server import Server
from stillproof.core.errors import StoreError
from stillproof.store.owner import worker_name
from stillproof.store.schema import cells
from stillproof.store.store import Store, open_store
from stillproof.testing.claims_contract import LEASE
from stillproof.testing.store_contract import fill, fork_context

pytestmark = pytest.mark.cluster

PROCESSES, CELLS, RESTARTS = 16, 500, 4
OFFERED = 64  # as many as a worker offers


@pytest.fixture
def fragile() -> Iterator[Server]:
    started = Server.in_own_folder()
    yield started
    started.close()


def test_on_sqlite(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/x.db"
    with open_store(url) as store:
        crowd = Crowd(store)
        check(store, crowd.ids, crowd.computed())


def test_on_postgresql_whose_server_is_killed_again_and_again(fragile: Server, tmp_path: Path) -> None:
    url = fragile.fresh_url()
    with open_store(url, artifacts=tmp_path) as store:
        crowd = Crowd(store)
        restarts = 0
        while restarts < RESTARTS and not all_done(store, share=(restarts + 1) / (RESTARTS + 2)):
            time.sleep(0.05)
            if all_done(store, share=(restarts + 0.5) / (RESTARTS + 2)):
                fragile.stop("immediate" if restarts % 2 == 0 else "fast")
                fragile.start()
                restarts += 1
        assert restarts == RESTARTS, "it was over before the server was killed"
        check(store, crowd.ids, crowd.computed())


def all_done(store: Store, share: float) -> bool:
    counts = store.results.counts().get("train", {})
    return counts.get("done", 0) >= share * CELLS


class Crowd:
    """Processes that share the cells of a store."""

    def __init__(self, store: Store) -> None:
        self.ids = fill(store, CELLS)
        context = fork_context()
        self._done: Queue[list[str]] = context.Queue()
        self._together = context.Barrier(PROCESSES)  # which goes with the last who knows it
        arguments = (store.url, store.artifacts.root, self.ids, self._together, self._done)
        self._workers = [context.Process(target=work, args=arguments, daemon=True) for _ in range(PROCESSES)]
        for worker in self._workers:
            worker.start()

    def computed(self) -> list[str]:
        """Wait for all; return what they say they have computed."""
        found = [cell for _ in self._workers for cell in self._done.get(timeout=100)]
        for worker in self._workers:
            worker.join()
        return found


def check(store: Store, ids: list[str], computed: list[str]) -> None:
    twice = {cell: count for cell, count in Counter(computed).items() if count > 1}
    assert twice == {} and sorted(computed) == sorted(ids)
    with store.database.read() as connection:
        rows = connection.execute(select(cells.c.status, cells.c.attempts)).all()
    assert Counter(tuple(row) for row in rows) == {("done", 1): len(ids)}


def work(url: str, root: Path, ids: list[str], together: Barrier, done: Queue[list[str]]) -> None:
    computed: list[str] = []
    with open_store(url, artifacts=root) as store, worker_name() as owner:
        together.wait(timeout=100)
        left = list(ids)
        while left:
            cell = store.claims.claim(left[:OFFERED], owner, LEASE)
            if cell is None:
                states = store.results.statuses(left)
                left = [one for one in left if states[one] != "done"]
                continue
            try:
                store.claims.renew(cell, owner, LEASE, 0.5)
            except StoreError:
                time.sleep(0.01)  # no server just now: another sign of life comes later
            store.claims.check(cell, owner)
            store.claims.finish(cell, owner, {"by": owner}, 0.0, {})
            computed.append(cell)
    done.put(computed)
