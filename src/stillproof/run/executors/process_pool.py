"""The process pool: the plan in processes of one torch thread each, all working on the same store."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from stillproof.core.errors import StillproofError, StoreError
from stillproof.core.plugins import Plugin, import_entry_points, index_entry_points, load_plugins
from stillproof.core.printable import log_to_stderr
from stillproof.run.cell import Cell
from stillproof.run.executor import Work
from stillproof.run.executors.this_process import prepare, stoppable
from stillproof.run.stage import Options
from stillproof.run.waiting import Waiting
from stillproof.run.worker import FINISHED, POLL_SECONDS, Worker
from stillproof.store.store import open_store

log = logging.getLogger("stillproof")

# Deaths allowed per place in the pool while no cell ends; a cell that kills its worker is given up before that.
MOST_DEATHS = 4
STOP_SECONDS = 10.0
STOPPED = 130


@dataclass(frozen=True)
class WorkerProcess:
    """A worker, and where it says why it has stopped."""

    process: BaseProcess
    heard: Connection

    def trouble(self) -> str:
        """Return what a worker that has ended said; one that was killed has said nothing."""
        try:
            return self.heard.recv_bytes().decode()
        except EOFError:
            return ""


@dataclass(frozen=True)
class ProcessPool:
    """Works on a plan in ``workers`` processes; one that dies is replaced, its cell taken over."""

    workers: int

    def __call__(self, work: Work) -> None:
        """Finish the work."""
        context = multiprocessing.get_context("spawn")
        options = replace(work.options, processes=self.workers)
        given = (list(work.cells), options, list(work.plugins), work.stop_at_failure)

        def start() -> WorkerProcess:
            # A pipe for each, and no queue: its locks would outlive a run that is killed.
            heard, told = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(*given, told))
            with _ctrl_c_for_this_process_alone():
                process.start()
            told.close()
            return WorkerProcess(process, heard)

        pool: list[WorkerProcess] = []
        waiting = Waiting(work.store, [cell.id for cell in work.cells])
        deaths, left_before = 0, len(work.cells)
        try:
            with stoppable():
                for _ in range(self.workers):
                    pool.append(start())
                while (left := _show(work)) and not work.must_stop():
                    deaths, left_before = (0, left) if left < left_before else (deaths, left_before)
                    time.sleep(POLL_SECONDS)
                    waiting.look()
                    ended = [number for number, place in enumerate(pool) if place.process.exitcode is not None]
                    if not ended or not _show(work) or work.must_stop():
                        continue
                    for number in ended:
                        if trouble := pool[number].trouble():
                            raise StoreError(trouble)
                        code, deaths = pool[number].process.exitcode, deaths + 1
                        if deaths > MOST_DEATHS * self.workers:
                            raise StillproofError(f"workers keep dying (exit code {code}); {left} cells are left.")
                        log.warning("a worker died (exit code %s); another takes its place.", code)
                        pool[number] = start()
                for place in [] if left else pool:
                    place.process.join(STOP_SECONDS)
        finally:
            _end([place.process for place in pool])


def _end(pool: Sequence[BaseProcess]) -> None:
    """Stop what still runs: politely, so that claims are given back, then by force, which loses nothing either."""
    for process in pool:
        process.terminate()
    for process in pool:
        process.join(STOP_SECONDS)
        process.kill()
        process.join()


def _show(work: Work) -> int:
    """Show how the plan stands; return how many cells are left."""
    results = work.store.results
    status = results.statuses([cell.id for cell in work.cells])
    work.on_change(status, results.progress_of([name for name, state in status.items() if state == "running"]), {})
    return len(work.cells) - sum(state in FINISHED for state in status.values())


@contextlib.contextmanager
def _ctrl_c_for_this_process_alone() -> Iterator[None]:
    """Start processes that do not see Ctrl-C: their parent does, and stops them once, in order."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # a new process inherits the mask
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(cells: list[Cell], options: Options, plugins: list[Plugin], stop_at_failure: bool, told: Connection) -> None:
    """Work on the plan in a fresh process."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.stdout = sys.stderr  # standard output is for the results, which are the parent's to tell
    logging.disable(logging.WARNING)  # the parent has said already which plug-ins are broken
    index_entry_points()
    import_entry_points()
    load_plugins(plugins)
    logging.disable(logging.NOTSET)
    log_to_stderr()
    prepare(options.device, 1)
    try:
        with stoppable(), open_store(options.store_url) as store:
            Worker(store, options, cells, stop_at_failure=stop_at_failure).run()
    except KeyboardInterrupt:
        sys.exit(STOPPED)
    except StoreError as error:
        told.send_bytes(str(error).encode())
        sys.exit(error.exit_code)


def _end_with_parent() -> None:
    """Wait for the parent's death and follow it: whoever runs the command again takes the cell over."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
