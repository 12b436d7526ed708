"""Sixteen processes that take, renew and finish cells of one store as fast as they can."""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

from benchmarks.line import Line
from stillproof.core.spec import digest
from stillproof.store.owner import worker_name
from stillproof.store.records import NewCell
from stillproof.store.store import open_store

PROCESSES = 16
CELLS = 800
OFFERED = 64  # as many as a worker offers
LEASE = 600.0  # seconds

sys.path.append(str(Path(__file__).parents[1] / "tests"))  # where a server can be started


def claim_lines() -> Iterator[Line]:
    """Measure SQLite, and PostgreSQL where Debian's server and the extra are installed."""
    from postgres_server import Server, programs

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from _lines("SQLite", f"sqlite:///{folder}/x.db", folder)
        if programs() is not None:
            server = Server.in_own_folder()
            try:
                yield from _lines("PostgreSQL", server.fresh_url(), folder)
            finally:
                server.close()


def _lines(database: str, url: str, folder: Path) -> Iterator[Line]:
    for processes in (1, PROCESSES):
        ids = [digest([processes, number]) for number in range(CELLS)]
        with open_store(url, artifacts=folder) as store:
            began = time.perf_counter()
            store.results.put([NewCell(cell, "train", {"cell": cell}, {}) for cell in ids])
            entered = time.perf_counter() - began
        computed, seconds = _together(url, folder, ids, processes)
        who = f"{processes} process{'es' * (processes > 1)}"
        how = f"{CELLS} cells entered in {entered:.1f} s; each claimed, renewed, finished"
        yield Line(f"{database}, {who}: claims a second", len(computed) / seconds, "/s", how)
        doubled = sum(count - 1 for count in Counter(computed).values())
        wrong = doubled + len(set(ids) - set(computed))
        yield Line(f"{database}, {who}: cells lost or doubled", wrong, "", f"of {CELLS}", "under", 1)


def _together(url: str, folder: Path, ids: list[str], processes: int) -> tuple[list[str], float]:
    """Return which cells were computed by whichever process, and for how long the longest was at it."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["stillproof.store.store"])
    done: Queue[tuple[list[str], float, float]] = context.Queue()
    together = context.Barrier(processes)
    workers = [context.Process(target=_work, args=(url, folder, ids, together, done)) for _ in range(processes)]
    for worker in workers:
        worker.start()
    found = [done.get() for _ in workers]
    for worker in workers:
        worker.join()
    first, last = min(began for _, began, _ in found), max(ended for _, _, ended in found)
    return [cell for computed, _, _ in found for cell in computed], last - first


def _work(
    url: str, folder: Path, ids: list[str], together: Barrier, done: Queue[tuple[list[str], float, float]]
) -> None:
    left, computed = list(ids), list[str]()
    with open_store(url, artifacts=folder) as store, worker_name() as owner:
        together.wait()
        began = time.monotonic()
        while left:
            offered = left[:OFFERED]
            cell = store.claims.claim(offered, owner, LEASE)
            if cell is None:
                left = left[OFFERED:]
                continue
            store.claims.renew(cell, owner, LEASE, 0.5)
            store.claims.finish(cell, owner, {"by": owner}, 0.0, {})
            computed.append(cell)
            left = left[left.index(cell) + 1 :]
        done.put((computed, began, time.monotonic()))
