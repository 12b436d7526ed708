"""Ctrl-C and SIGTERM end a command in the same way, whatever it is doing."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

STOPS = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def stops_as_asked() -> Iterator[Callable[[], bool]]:
    """Make both signals raise ``KeyboardInterrupt``, for a block; yield what says whether one of them came."""
    came: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        came.append(number)
        raise KeyboardInterrupt

    before = {}
    if threading.current_thread() is threading.main_thread():  # only there may signals be handled
        # One that is ignored stays so: a shell's background jobs are spared by Ctrl-C.
        before = {number: signal.signal(number, stop) for number in STOPS if signal.getsignal(number) != signal.SIG_IGN}
    try:
        yield lambda: bool(came)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
