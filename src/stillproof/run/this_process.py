"""Works on a plan in this process."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

from stillproof.core.freed_memory import keep_freed_memory
from stillproof.core.garbage import end_loading
from stillproof.run.executor import Work
from stillproof.run.waiting import Waiting
from stillproof.run.worker import Duties, Worker


def run_in_this_process(work: Work) -> None:
    """Work on the plan in this process."""
    prepare(work.options.device, work.options.threads)
    with stoppable():
        duties = Duties(
            on_change=work.watch,
            on_idle=Waiting(work.store, work.ids).look,
            stop_at_failure=[work.plan] if work.stop_at_failure else (),
        )
        Worker(work.store, work.options, [work.plan], duties).run()


def prepare(device: str, threads: int | None) -> None:
    """Set the number of torch's threads, if it is given, and kernels that give the same bits each time on a GPU.

    Memory that is freed is kept for the next tensor.

    A few backward passes on GPUs (of ``grid_sample``, for one) have no such kernel; there the last bits may differ.
    """
    import torch

    keep_freed_memory()
    end_loading()
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
