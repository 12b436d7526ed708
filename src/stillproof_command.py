"""Starts the ``stillproof`` command, so that even its first moment can be stopped: nothing else is loaded yet."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from types import FrameType

STOPPED = 130
_SENTENCE = b"stillproof: stopped before anything was begun.\n"


def main() -> None:
    """Run the command line."""
    _have_all_streams()
    _on_stop(_end_at_once)
    from stillproof.cli.main import main as run

    try:
        run()
    finally:  # all that is left is to leave
        _on_stop(_end_silently)


def _have_all_streams() -> None:
    """Open what was closed, as by ``>&-``: the next file, such as a store, would else be taken for standard output."""
    while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(handle)
    sys.stdin = sys.stdin or os.fdopen(0, "r")
    sys.stdout = sys.stdout or os.fdopen(1, "w")
    sys.stderr = sys.stderr or os.fdopen(2, "w")


def _on_stop(handler: signal._HANDLER) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as for a shell's background jobs, which Ctrl-C spares
            signal.signal(number, handler)


def _end_at_once(number: int, frame: FrameType | None) -> None:
    with contextlib.suppress(OSError):
        os.write(2, _SENTENCE)
    os._exit(STOPPED)


def _end_silently(number: int, frame: FrameType | None) -> None:
    os._exit(STOPPED)
