"""What every store must do, whatever database is behind it: subclass ``StoreContract`` and supply fresh URLs."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from multiprocessing.context import ForkServerContext
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from stillproof.core.errors import BadInput, LeaseLost
from stillproof.core.spec import digest
from stillproof.store.claims import GIVEN_UP
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


class StoreContract:
    """Tests for pytest. ``fresh_url`` is the one hook."""

    processes = 8

    def fresh_url(self, folder: Path) -> str:
        """Return the URL of a store that does not exist yet; ``folder`` is empty and may be used."""
        raise NotImplementedError

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        """Open a fresh store, with its artifacts in a folder of its own."""
        with open_store(self.fresh_url(tmp_path), artifacts=tmp_path / "artifacts") as store:
            yield store

    def test_cells_come_back_as_they_were_put(self, store: Store) -> None:
        """Specs and hints are parsed again, and the rest starts empty."""
        cell = NewCell(
            digest("x"), "distill", {"ipc": 1, "lr": 0.1, "name": "ü", "list": [1, None]}, {"data": "digits"}
        )
        store.results.put([cell])
        record = store.results.get(cell.id)
        assert record is not None
        assert (record.id, record.stage, record.spec, record.where) == (cell.id, cell.stage, cell.spec, cell.where)
        assert (record.status, record.attempts, record.progress, record.result) == ("pending", 0, 0.0, None)
        assert abs(record.created - time.time()) < 60

    def test_put_leaves_known_cells_alone(self, store: Store) -> None:
        """Planning the same cells again keeps their answers."""
        first, *_ = fill(store, 3)
        assert store.claims.claim([first], "me", LEASE) == first
        store.claims.finish(first, "me", {"accuracy": 0.5}, 1.5, {"torch": "2"})
        fill(store, 5)
        record = store.results.get(first)
        assert record is not None and record.status == "done" and record.result == {"accuracy": 0.5}
        assert (record.seconds, record.provenance, record.progress) == (1.5, {"torch": "2"}, 1.0)
        assert record.started is not None and record.finished is not None and record.started <= record.finished
        assert len(store.results.statuses([cell.id for cell in new_cells(5)])) == 5

    def test_many_ids_at_once(self, store: Store) -> None:
        """More ids than one statement takes are split; those that are not there are left out."""
        ids = fill(store, 2100)
        asked = [*ids, digest("absent")]
        assert store.results.get_many(asked).keys() == set(ids)
        assert store.results.statuses(asked) == dict.fromkeys(ids, "pending")
        assert store.results.progress_of(asked) == dict.fromkeys(ids, 0.0)
        assert store.results.get(digest("absent")) is None
        assert store.results.get_many([]) == {}

    def test_runs(self, store: Store) -> None:
        """The last run of a suite is the one that was saved last."""
        assert store.results.last_run("accuracy") is None
        rows = [{"z": 1, "a": [digest(1)]}, {"z": 2, "a": []}]
        first = store.results.save_run("accuracy", {"ipc": [1]}, [])
        second = store.results.save_run("accuracy", {"ipc": [1, 10]}, rows)
        third = store.results.save_run("other", {}, [])
        assert first < second < third
        last = store.results.last_run("accuracy")
        assert last is not None and (last.id, last.config, last.rows) == (second, {"ipc": [1, 10]}, rows)
        assert list(last.rows[0]) == ["z", "a"], "columns keep their order"
        assert [run.id for run in store.results.runs()] == [third, second, first]

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
        """Silence for longer than the lease frees a cell; a renewal in time keeps it."""
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

    def test_results_are_strict_json(self, store: Store) -> None:
        """What is not a number is refused with a sentence, and the cell is still held."""
        (cell,) = fill(store, 1)
        store.claims.claim([cell], "me", LEASE)
        with pytest.raises(BadInput, match="the result of cell"):
            store.claims.finish(cell, "me", {"loss": float("nan")}, 1.0, {})
        store.claims.fail(cell, "me", "diverged")

    def test_artifacts_by_id_prefix_and_name(self, store: Store) -> None:
        """An artifact is found by all three; what is ambiguous, unknown or of another kind says so."""
        twins = ["abcd" + "0" * 60, "abcd" + "1" * 60]
        (cell,) = fill(store, 1)
        store.register_artifact(twins[0], "distilled", "digits-dm", cell, 10**12)
        store.register_artifact(twins[1], "model", None, None, 20)
        store.register_artifact(twins[0], "distilled", None, None, 0)  # known already: nothing is lost
        for text in (twins[0], "abcd0", "digits-dm"):
            assert store.resolve_artifact(text) == twins[0]
        assert store.resolve_artifact("abcd", kind="model") == twins[1]
        wrong = {
            "abcd": "several artifacts",
            "digits-dn": "did you mean 'digits-dm'",
            "abc": "unknown artifact",
            "%": "unknown",
        }
        for text, problem in wrong.items():
            with pytest.raises(BadInput, match=problem):
                store.resolve_artifact(text)
        with pytest.raises(BadInput, match="of kind distilled"):
            store.resolve_artifact("digits-dm", kind="model")
        assert store.cell_of(twins[0]) == cell
        assert store.cell_of(twins[1]) is None and store.cell_of("0" * 64) is None
        store.register_artifact(twins[1], "model", "digits-dm", None, 20)
        assert store.resolve_artifact("digits-dm") == twins[1], "the newest to ask for a name has it"
        assert store.resolve_artifact("abcd0") == twins[0], "the one before is still there by its id"

    def test_what_is_kept_is_written_and_found(self, store: Store) -> None:
        """An artifact that is kept can be read, and is in the catalogue under its name and with its maker."""
        import torch  # here, since every process of these tests imports this module

        (cell,) = fill(store, 1)
        tensors, card = {"weights": torch.ones(3)}, {"epoch": 5, "cost": {"seconds": 1.0}}
        artifact = store.keep("model", tensors, card, name="mine", cell=cell, extra={"README.md": b"# It"})
        found = store.artifacts.read(artifact)
        assert (found.kind, found.card) == ("model", card) and torch.equal(found.tensors["weights"], torch.ones(3))
        assert (store.artifacts.folder(artifact) / "README.md").read_bytes() == b"# It"
        assert store.resolve_artifact("mine", "model") == artifact and store.cell_of(artifact) == cell
        assert store.keep("model", tensors, card | {"cost": {"seconds": 9.0}}) == artifact, "what it cost names nothing"
        assert store.resolve_artifact("mine") == artifact and store.cell_of(artifact) == cell

    def test_an_artifact_from_elsewhere_is_kept_by_its_folder(self, store: Store, tmp_path: Path) -> None:
        """A folder that was exported is copied and found by its id; the copy has no maker."""
        import torch

        with open_store(str(tmp_path / "elsewhere.db")) as other:
            artifact = other.keep("zca", {"mean": torch.zeros(4)}, {"eps": 0.1}, name="theirs")
            other.artifacts.export(artifact, tmp_path / "out")
        assert store.keep_folder(tmp_path / "out") == artifact
        assert store.resolve_artifact(artifact[:12], "zca") == artifact and store.cell_of(artifact) is None
        assert torch.equal(store.artifacts.read(artifact).tensors["mean"], torch.zeros(4))

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


def _hold(url: str, root: Path, cell: str, claimed: Queue[str | None]) -> None:
    with open_store(url, artifacts=root) as store:
        claimed.put(store.claims.claim([cell], this_owner(), LEASE))
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
