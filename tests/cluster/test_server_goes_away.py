"""What becomes of a worker's words to its store while the server goes away and comes back."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from cutting_proxy import CuttingProxy

from postgres_server import Server
from stillproof.core.errors import LeaseLost, StoreError
from stillproof.store import postgresql
from stillproof.store.store import Store, open_store
from stillproof.testing.claims_contract import LEASE
from stillproof.testing.store_contract import fill, new_cells

pytestmark = pytest.mark.cluster

When = Literal["before", "after"]


@pytest.fixture
def proxy(server: Server) -> Iterator[CuttingProxy]:
    opened = CuttingProxy(server.port)
    yield opened
    opened.close()


@pytest.fixture
def direct(server: Server, tmp_path: Path) -> Iterator[Store]:
    with open_store(server.fresh_url(), artifacts=tmp_path) as store:
        yield store


@pytest.fixture
def store(direct: Store, server: Server, proxy: CuttingProxy, tmp_path: Path) -> Iterator[Store]:
    """The same store, by way of the proxy."""
    with open_store(direct.url.replace(f":{server.port}/", f":{proxy.port}/"), artifacts=tmp_path) as opened:
        yield opened


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_cell_whose_taking_nobody_heard_of_is_taken_once(
    store: Store, direct: Store, proxy: CuttingProxy, when: When
) -> None:
    ids = fill(direct, 5)
    proxy.cut(when)
    assert store.claims.claim(ids, "me", LEASE) == ids[0]
    found = direct.results.get_many(ids)
    assert [(found[cell].status, found[cell].attempts) for cell in ids] == [("running", 1)] + [("pending", 0)] * 4
    assert proxy.cuts == 1


ENDS: dict[str, Callable[[Store, str], None]] = {
    "done": lambda store, cell: store.claims.finish(cell, "me", {"a": 1}, 1.0, {}),
    "failed": lambda store, cell: store.claims.fail(cell, "me", "why"),
    "unsupported": lambda store, cell: store.claims.unsupported(cell, "me", "why"),
    "pending": lambda store, cell: store.claims.release(cell, "me"),
}


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("status", ENDS)
def test_an_end_that_nobody_heard_of_is_no_lost_lease(
    store: Store, direct: Store, proxy: CuttingProxy, when: When, status: str
) -> None:
    (cell,) = fill(direct, 1)
    assert store.claims.claim([cell], "me", LEASE) == cell
    proxy.cut(when)
    ENDS[status](store, cell)
    record = direct.results.get(cell)
    assert record is not None and record.status == status and proxy.cuts == 1
    assert record.attempts == (0 if status == "pending" else 1)


@pytest.mark.parametrize("status", ["done", "failed"])
def test_a_cell_that_was_taken_over_while_the_line_was_cut_is_lost(
    store: Store, direct: Store, proxy: CuttingProxy, status: str
) -> None:
    (cell,) = fill(direct, 1)
    assert store.claims.claim([cell], "me", LEASE) == cell

    def take_over() -> None:
        time.sleep(0.2)  # the server notices that nobody is there any more, and takes back what was done
        direct.claims.free(cell)
        assert direct.claims.claim([cell], "successor", LEASE) == cell
        direct.claims.finish(cell, "successor", {"a": 2}, 1.0, {})

    proxy.cut("before", take_over)
    with pytest.raises(LeaseLost):
        ENDS[status](store, cell)
    record = direct.results.get(cell)
    assert record is not None and record.result == {"a": 2}


@pytest.mark.parametrize("when", ["before", "after"])
def test_what_is_entered_is_entered_once(store: Store, direct: Store, proxy: CuttingProxy, when: When) -> None:
    (cell,) = fill(direct, 1)
    proxy.cut(when)
    fill(store, 3)
    proxy.cut(when)
    first = store.results.save_run("accuracy", {"ipc": 1}, [], name="mine")
    proxy.cut(when)
    store.register_artifact("a" * 64, "model", "mine", cell, 3)
    assert proxy.cuts == 3
    assert len(direct.results.statuses([cell.id for cell in new_cells(3)])) == 3
    assert [(run.id, run.name) for run in direct.results.runs()] == [(first, "mine")]
    assert direct.resolve_artifact("mine") == "a" * 64 and direct.cell_of("a" * 64) == cell


@pytest.fixture
def fragile() -> Iterator[Server]:
    """Start a server that the test may stop."""
    started = Server.in_own_folder()
    yield started
    started.close()


def test_a_worker_waits_until_its_server_is_back_and_says_so_once(
    fragile: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(postgresql, "SAY_SECONDS", 1.0)
    caplog.set_level(logging.WARNING, logger="stillproof")
    with open_store(fragile.fresh_url(), artifacts=tmp_path) as store:
        first, second = fill(store, 2)
        assert store.claims.claim([first], "me", LEASE) == first
        fragile.stop("immediate")
        later = threading.Timer(3.0, fragile.start)
        later.start()
        with pytest.raises(StoreError, match="does not answer"):
            store.claims.renew(first, "me", LEASE, 0.5)  # the next sign of life comes soon enough
        assert store.results.statuses([first, second]) == {first: "running", second: "pending"}
        later.join()
        store.claims.renew(first, "me", LEASE, 0.5)
        fragile.stop("fast")
        fragile.start()
        store.claims.finish(first, "me", {}, 1.0, {})
        assert store.claims.claim([first, second], "me", LEASE) == second
    (said,) = caplog.messages
    assert said.endswith("does not answer: waiting for its server, for up to 10 minutes.") and "cret" not in said


def test_a_server_that_stays_away_is_not_waited_for_for_ever(
    fragile: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "GIVE_UP_SECONDS", 1.0)
    with open_store(fragile.fresh_url(), artifacts=tmp_path) as store:
        (cell,) = fill(store, 1)
        fragile.stop()
        began = time.monotonic()
        with pytest.raises(StoreError, match="does not answer: check its host and port") as caught:
            store.claims.claim([cell], "me", LEASE)
        assert 1.0 <= time.monotonic() - began < 15 and caught.value.exit_code == 4
        with pytest.raises(StoreError, match="does not answer"):
            open_store(store.url, artifacts=tmp_path)
        fragile.start()


def test_a_worker_that_finds_the_server_full_waits_for_its_turn(
    fragile: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "SAY_SECONDS", 0.5)
    url = fragile.fresh_url()
    open_store(url, artifacts=tmp_path).close()
    fragile.sql("CREATE USER worker PASSWORD 'x' CONNECTION LIMIT 1; GRANT ALL ON SCHEMA public TO worker")
    fragile.sql("GRANT ALL ON ALL TABLES IN SCHEMA public TO worker", url.rpartition("/")[2])
    mine = f"postgresql://worker:x@{url.rpartition('@')[2]}"
    holder = open_store(mine, artifacts=tmp_path)
    threading.Timer(2.0, holder.close).start()
    began = time.monotonic()
    open_store(mine, artifacts=tmp_path).close()
    assert 1.0 < time.monotonic() - began < 30
