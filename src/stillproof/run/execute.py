"""Puts a plan into the store and works on it in this process; ``stillproof.run.pool`` has the other executor."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from types import FrameType

from stillproof.run.cell import Cell
from stillproof.run.worker import Worker
from stillproof.run.world import Options
from stillproof.store.records import NewCell
from stillproof.store.store import Store

OnChange = Callable[[dict[str, str], dict[str, float]], None]


def enter(store: Store, cells: Sequence[Cell]) -> dict[str, str]:
    """Put the plan into the store, failed cells back in line; return the status that each cell had before."""
    before = store.results.statuses([cell.id for cell in cells])
    store.results.put([NewCell(cell.id, cell.stage, cell.spec, cell.where) for cell in cells])
    store.claims.reset_failed([cell.id for cell in cells])
    return before


def run_here(store: Store, cells: Sequence[Cell], options: Options, on_change: OnChange) -> None:
    """Work on the plan in this process."""
    prepare(options.device, options.threads)
    with stoppable():
        Worker(store, options, cells, on_change=on_change).run()


def prepare(device: str, threads: int | None) -> None:
    """Set the number of torch's threads, if it is given, and kernels that give the same bits each time on a GPU.

    A few backward passes on GPUs (of ``grid_sample``, for one) have no such kernel; there the last bits may differ.
    """
    import torch

    if threads:
        torch.set_num_threads(threads)
    if device.startswith("cuda"):
        torch.backends.cudnn.deterministic = True
        torch.backends.cudnn.benchmark = False
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cuda.matmul.allow_tf32 = False


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """Make SIGTERM stop a run as Ctrl-C does: claims are given back, nothing is lost."""
    if threading.current_thread() is not threading.main_thread():  # only there may signals be handled
        yield
        return
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
