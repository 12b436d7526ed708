"""A lock of this machine: cells that measure time have it to themselves, all others share it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from stillproof.store.error_sentences import disk_trouble


def lock_file() -> Path:
    """Return the file that the processes of one user on this machine lock."""
    return Path(tempfile.gettempdir(), f"stillproof-{os.getuid()}.lock")


@contextlib.contextmanager
def machine(*, alone: bool) -> Iterator[bool]:
    """Yield whether this machine may be used now, and hold it until the end; it is freed if the process dies.

    Args:
        alone: To have it alone, rather than beside others who do not need that.
    """
    with disk_trouble(lock_file()):
        handle = os.open(lock_file(), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield _locked(handle, alone)
    finally:
        os.close(handle)


def _locked(handle: int, alone: bool) -> bool:
    with disk_trouble(lock_file()):
        try:
            fcntl.flock(handle, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
