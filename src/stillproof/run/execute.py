"""Executors: the plan in this process, or in a pool of processes with one torch thread each."""

from __future__ import annotations

import logging
import multiprocessing
import signal
import time
from collections.abc import Callable, Sequence
from multiprocessing.process import BaseProcess
from types import FrameType

from stillproof.core.plugins import Plugin, import_entry_points, index_entry_points, load_plugins
from stillproof.run.plan import Cell
from stillproof.run.worker import FINISHED, POLL_SECONDS, Worker
from stillproof.run.world import Options
from stillproof.store.records import NewCell
from stillproof.store.store import Store, open_store

log = logging.getLogger("stillproof")

OnChange = Callable[[dict[str, str], dict[str, float]], None]
MOST_DEATHS = 10  # workers that may die before a run gives up


def enter(store: Store, cells: Sequence[Cell]) -> dict[str, str]:
    """Put the plan into the store, failed cells back in line; return the status that each cell had before."""
    before = store.results.statuses([cell.id for cell in cells])
    store.results.put([NewCell(cell.id, cell.stage, cell.spec, cell.where) for cell in cells])
    store.claims.reset_failed([cell.id for cell in cells])
    return before


def run_here(store: Store, cells: Sequence[Cell], options: Options, on_change: OnChange) -> None:
    """Work on the plan in this process."""
    _set_threads(options.threads)
    with _terminable():
        Worker(store, options, cells, on_change=on_change).run()


def run_pool(
    store: Store, cells: Sequence[Cell], options: Options, workers: int, plugins: list[Plugin], on_change: OnChange
) -> None:
    """Work on the plan in ``workers`` processes; one that dies is replaced, its cell taken over."""
    context = multiprocessing.get_context("spawn")

    def start() -> BaseProcess:
        process = context.Process(target=_pool_worker, args=(list(cells), options, plugins), daemon=False)
        process.start()
        return process

    pool = [start() for _ in range(workers)]
    deaths = 0
    try:
        with _terminable():
            while any(process.is_alive() for process in pool):
                _show(store, cells, on_change)
                time.sleep(POLL_SECONDS)
                for number, process in enumerate(pool):
                    if process.exitcode not in (None, 0) and deaths < MOST_DEATHS:
                        deaths += 1
                        log.warning("a worker died (exit code %s); another takes its place.", process.exitcode)
                        pool[number] = start()
    finally:
        for process in pool:
            if process.is_alive():
                process.terminate()
        for process in pool:
            process.join()
    _show(store, cells, on_change)


def _show(store: Store, cells: Sequence[Cell], on_change: OnChange) -> None:
    status = store.results.statuses([cell.id for cell in cells])
    running = [name for name, state in status.items() if state == "running"]
    on_change(status, store.results.progress_of(running))


def _pool_worker(cells: list[Cell], options: Options, plugins: list[Plugin]) -> None:
    """Work on the plan in a fresh process."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    index_entry_points()
    import_entry_points()
    load_plugins(plugins)
    _set_threads(1)
    try:
        with _terminable(), open_store(options.store_url) as store:
            Worker(store, options, cells, follow_parent=True).run()
    except KeyboardInterrupt:
        return


def _set_threads(threads: int | None) -> None:
    import torch

    if threads:
        torch.set_num_threads(threads)


class _terminable:  # noqa: N801  used like a function
    """Makes SIGTERM stop a run as Ctrl-C does: claims are given back, nothing is lost."""

    def __enter__(self) -> None:
        self._before = signal.signal(signal.SIGTERM, self._stop)

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGTERM, self._before)

    @staticmethod
    def _stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt


def unfinished(status: dict[str, str]) -> list[str]:
    """Return the cells that have no answer yet."""
    return [name for name, state in status.items() if state not in FINISHED]
