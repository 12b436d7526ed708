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

from stillproof.core.components import executors
from stillproof.core.errors import StillproofError, StoreError
from stillproof.core.plugins import Plugin, import_entry_points, index_entry_points, load_plugins
from stillproof.core.printable import log_to_stderr
from stillproof.run.executor import Executor, Work
from stillproof.run.stage import Options
from stillproof.run.this_process import prepare, run_in_this_process, stoppable
from stillproof.run.waiting import Waiting
from stillproof.run.worker import POLL_SECONDS, Duties, Worker
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


@executors.register("pool", version=1)
@dataclass(frozen=True)
class ProcessPool(Executor):
    """Computes in several processes of one thread each; one that dies is replaced, its cell taken over.

    Args:
        workers: How many.
    """

    workers: int = 2

    def __post_init__(self) -> None:
        """Refuse a pool of nobody."""
        if self.workers < 1:
            raise ValueError("workers must be at least 1")

    def execute(self, work: Work) -> None:
        """Finish the work; what measures time comes last, in this process, which has all threads."""
        if work.store.plans.left(work.plan, last=False):
            self._share(work)
        if not work.must_stop():
            run_in_this_process(work)

    def _share(self, work: Work) -> None:
        """Finish what can share this machine."""
        context = multiprocessing.get_context("spawn")
        options = replace(work.options, processes=self.workers)
        given = (work.plan, options, list(work.plugins), work.stop_at_failure)

        def start() -> WorkerProcess:
            # A pipe for each, and no queue: its locks would outlive a run that is killed.
            heard, told = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(*given, told))
            with _ctrl_c_for_this_process_alone():
                process.start()
            told.close()
            return WorkerProcess(process, heard)

        pool: list[WorkerProcess] = []
        waiting = Waiting(work.store, work.ids)
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
    results, plans = work.store.results, work.store.plans
    status = plans.statuses(work.plan)
    work.watch(status, results.progress_of([name for name, state in status.items() if state == "running"]), {})
    return plans.left(work.plan, last=False)


@contextlib.contextmanager
def _ctrl_c_for_this_process_alone() -> Iterator[None]:
    """Start processes that do not see Ctrl-C: their parent does, and stops them once, in order."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # a new process inherits the mask
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(plan: int, options: Options, plugins: list[Plugin], stop_at_failure: bool, told: Connection) -> None:
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
            duties = Duties(stop_at_failure=[plan] if stop_at_failure else (), takes_last=False)
            Worker(store, options, [plan], duties).run()
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
