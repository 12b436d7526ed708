"""What the claims of every store must do, whatever database is behind it; ``StoreContract`` has them all."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from multiprocessing.context import ForkServerContext
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from stillproof.core.errors import LeaseLost
from stillproof.core.spec import digest
from stillproof.store.claims import GIVEN_UP
from stillproof.store.holders import silent_holders
from stillproof.store.owner import this_owner
from stillproof.store.records import NewCell
from stillproof.store.store import Store, open_store

LEASE = 600.0  # seconds; no test waits for it


def new_cells(count: int) -> list[NewCell]:
    """Return ``count`` different cells."""
    return [NewCell(digest(i), "train", {"number": i}, {"data": "toy"}) for i in range(count)]


def fill(store: Store, count: int) -> list[str]:
    """Enter ``count`` cells and return their ids."""
    store.results.put(new_cells(count))
    return [cell.id for cell in new_cells(count)]


def fork_context() -> ForkServerContext:
    """Return a way to start processes quickly: they fork from a clean one that has imported what they need."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


class ClaimsContract:
    """Tests for pytest of who may compute which cell; the subclass has the fixture ``store``."""

    processes = 8

    def test_claims_go_in_the_given_order(self, store: Store) -> None:
        """Each claim takes the first that is free; a held cell and an ended one are not free."""
        a, b, c = fill(store, 3)
        assert store.claims.claim([c, a], "one", LEASE) == c
        assert store.claims.claim([c, a], "two", LEASE) == a
        assert store.claims.claim([c, a], "three", LEASE) is None
        store.claims.finish(c, "one", {}, 0.0, {})
        assert store.claims.claim([c, b, digest("absent")], "three", LEASE) == b
        assert store.claims.claim([], "three", LEASE) is None

    def test_only_the_holder_may_change_a_cell(self, store: Store) -> None:
        """Whoever lost a cell, or never had it, learns so, and changes nothing."""
        (cell,) = fill(store, 1)
        store.claims.claim([cell], "holder", LEASE)
        before = store.results.get(cell)
        with pytest.raises(LeaseLost):
            store.claims.renew(cell, "other", LEASE, 0.5)
        with pytest.raises(LeaseLost):
            store.claims.finish(cell, "other", {}, 1.0, {})
        with pytest.raises(LeaseLost):
            store.claims.fail(cell, "other", "no")
        with pytest.raises(LeaseLost):
            store.claims.unsupported(cell, "other", "no")
        with pytest.raises(LeaseLost):
            store.claims.release(cell, "other")
        assert store.results.get(cell) == before
        store.claims.finish(cell, "holder", {}, 1.0, {})
        with pytest.raises(LeaseLost):
            store.claims.finish(cell, "holder", {}, 1.0, {})

    def test_an_expired_lease_is_taken_over(self, store: Store) -> None:
        """Where the holder cannot be seen, silence beyond the lease frees a cell; a renewal in time keeps it."""
        (cell,) = fill(store, 1)
        store.claims.claim([cell], "silent", -1.0)
        store.claims.renew(cell, "silent", LEASE, 0.25)
        assert store.claims.claim([cell], "next", LEASE) is None
        assert store.results.progress_of([cell]) == {cell: 0.25}
        store.claims.renew(cell, "silent", -1.0, 0.5)
        assert store.claims.claim([cell], "next", LEASE) == cell
        with pytest.raises(LeaseLost):
            store.claims.renew(cell, "silent", LEASE, 0.75)
        record = store.results.get(cell)
        assert record is not None and (record.owner, record.attempts, record.progress) == ("next", 2, 0.0)

    def test_leases_go_by_the_clock_of_the_database(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        """A machine whose clock is wrong takes no cell that another holds, and loses none."""
        (cell,) = fill(store, 1)
        store.claims.claim([cell], "right", LEASE)
        monkeypatch.setattr(time, "time", lambda: 4e9)
        assert store.claims.claim([cell], "ahead", LEASE) is None
        monkeypatch.setattr(time, "time", lambda: 1.0)
        store.claims.renew(cell, "right", LEASE, 0.5)
        monkeypatch.undo()
        assert store.claims.claim([cell], "next", LEASE) is None

    def test_a_sign_of_life_between_look_and_grasp_keeps_a_cell(self, store: Store) -> None:
        """Whoever saw that a lease had run out takes nothing that was renewed since."""
        (cell,) = fill(store, 1)
        store.claims.claim([cell], "slow", -1.0)
        seen = store.claims._free([cell])[cell]
        store.claims.renew(cell, "slow", -0.5, 0.5)
        assert store.claims._take([seen], "next", LEASE) is None
        store.claims.renew(cell, "slow", LEASE, 0.5)

    def test_a_cell_that_is_freed_by_hand(self, store: Store) -> None:
        """Whoever held it learns so, whether it asks, renews or ends; others may take it; answers are not touched."""
        running, done, pending = fill(store, 3)
        store.claims.claim([running], "holder", LEASE)
        store.claims.check(running, "holder")
        store.claims.claim([done], "holder", LEASE)
        store.claims.finish(done, "holder", {"accuracy": 0.5}, 1.0, {})
        assert [store.claims.free(cell) for cell in (running, done, pending)] == ["holder", None, None]
        with pytest.raises(LeaseLost):
            store.claims.check(running, "holder")
        with pytest.raises(LeaseLost):
            store.claims.renew(running, "holder", LEASE, 0.5)
        with pytest.raises(LeaseLost):
            store.claims.finish(running, "holder", {}, 1.0, {})
        assert store.claims.claim([running], "next", LEASE) == running
        with pytest.raises(LeaseLost):
            store.claims.check(running, "holder")
        records = store.results.get_many([running, done])
        assert records[running].attempts == 1 and records[done].result == {"accuracy": 0.5}

    def test_a_cell_that_kills_its_workers_is_given_up(self, store: Store) -> None:
        """Three die, the fourth is spared; a stop by the user is no death."""
        cell, other = fill(store, 2)
        assert store.claims.claim([cell], "stopped", LEASE) == cell
        store.claims.release(cell, "stopped")
        for worker in ("first", "second", "third"):
            assert store.claims.claim([cell], worker, -1.0) == cell
        assert store.claims.claim([cell, other], "fourth", LEASE) == other
        record = store.results.get(cell)
        assert record is not None and (record.status, record.error) == ("failed", GIVEN_UP)
        store.claims.reset_failed([cell, other])
        assert store.claims.claim([cell], "fifth", -1.0) == cell
        assert store.claims.claim([cell], "sixth", LEASE) == cell, "the count begins anew"

    def test_ends(self, store: Store) -> None:
        """Failed and unsupported cells keep their reason; only the failed can be tried again."""
        failed, unsupported, released = fill(store, 3)
        for cell in (failed, unsupported, released):
            store.claims.claim([cell], "me", LEASE)
        store.claims.fail(failed, "me", "ValueError: no", 2.0, {"cores": 2})
        store.claims.unsupported(unsupported, "me", "zero denominator")
        store.claims.release(released, "me")
        records = store.results.get_many([failed, unsupported, released])
        assert (records[failed].error, records[failed].seconds) == ("ValueError: no", 2.0)
        assert records[failed].provenance == {"cores": 2}
        assert records[unsupported].error == "zero denominator"
        assert (records[released].status, records[released].owner, records[released].attempts) == ("pending", None, 0)
        store.claims.reset_failed([failed, unsupported, released])
        statuses = store.results.statuses([failed, unsupported, released])
        assert statuses == {failed: "pending", unsupported: "unsupported", released: "pending"}
        reset = store.results.get(failed)
        assert reset is not None and (reset.error, reset.finished, reset.attempts) == (None, None, 0)

    @pytest.mark.parametrize("collected", [False, True], ids=["zombie", "gone"])
    def test_a_killed_worker_is_replaced_at_once(self, store: Store, collected: bool) -> None:
        """Nobody waits for the lease of a process that is known to be dead."""
        (cell,) = fill(store, 1)
        spawn = multiprocessing.get_context("spawn")
        claimed: Queue[str | None] = spawn.Queue()
        worker = spawn.Process(target=_hold, args=(store.url, store.artifacts.root, cell, claimed), daemon=True)
        worker.start()
        assert worker.pid is not None
        assert claimed.get(timeout=60) == cell
        assert store.claims.claim([cell], this_owner(), LEASE) is None
        os.kill(worker.pid, signal.SIGKILL)
        if collected:
            worker.join()
        else:
            os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and is left as a zombie
        assert store.claims.claim([cell], this_owner(), LEASE) == cell
        worker.join()

    def test_a_living_process_of_this_machine_is_not_robbed(self, store: Store) -> None:
        """However long it is silent, as one that was stopped is: the lease counts only where life cannot be seen."""
        (cell,) = fill(store, 1)
        spawn = multiprocessing.get_context("spawn")
        claimed: Queue[str | None] = spawn.Queue()
        arguments = (store.url, store.artifacts.root, cell, claimed, -1.0)
        worker = spawn.Process(target=_hold, args=arguments, daemon=True)
        worker.start()
        assert worker.pid is not None and claimed.get(timeout=60) == cell
        os.kill(worker.pid, signal.SIGSTOP)
        assert store.claims.claim([cell], this_owner(), LEASE) is None
        (silent,) = silent_holders(store.database)
        assert silent.cell == cell and f"process {worker.pid} on" in silent.sentence() and silent.seconds >= 1.0
        os.kill(worker.pid, signal.SIGKILL)
        worker.join()
        assert silent_holders(store.database) == []
        assert store.claims.claim([cell], this_owner(), LEASE) == cell

    def test_no_cell_is_computed_twice(self, store: Store) -> None:
        """Many processes on one store share the work without a loss and without a double."""
        ids = fill(store, 200)
        context = fork_context()
        done: Queue[list[str]] = context.Queue()
        arguments = (store.url, store.artifacts.root, ids, context.Barrier(self.processes), done)
        workers = [context.Process(target=_work, args=arguments, daemon=True) for _ in range(self.processes)]
        for worker in workers:
            worker.start()
        computed = [done.get(timeout=60) for _ in workers]
        for worker in workers:
            worker.join()
        assert sorted(cell for part in computed for cell in part) == sorted(ids)
        assert sum(bool(part) for part in computed) > 1, "only one worked: nothing was tried"
        records = store.results.get_many(ids).values()
        assert all(record.status == "done" and record.attempts == 1 for record in records)


def _hold(url: str, root: Path, cell: str, claimed: Queue[str | None], lease: float = LEASE) -> None:
    with open_store(url, artifacts=root) as store:
        claimed.put(store.claims.claim([cell], this_owner(), lease))
        time.sleep(LEASE)


def _work(url: str, root: Path, ids: list[str], together: Barrier, done: Queue[list[str]]) -> None:
    owner = this_owner()
    computed = []
    with open_store(url, artifacts=root) as store:
        together.wait(timeout=60)
        while (cell := store.claims.claim(ids, owner, LEASE)) is not None:
            store.claims.renew(cell, owner, LEASE, 0.5)
            store.claims.finish(cell, owner, {"by": owner}, 0.0, {})
            computed.append(cell)
    done.put(computed)
