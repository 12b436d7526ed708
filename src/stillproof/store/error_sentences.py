"""Turns what databases and file systems raise into one sentence that says what to do."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from stillproof.core.errors import StoreError
from stillproof.core.plain_reason import plain_reason

_DATABASE = {
    "readonly database": "is read-only: make it writable or name another with --store",
    "read-only transaction": "is read-only: make it writable or name another with --store",
    "disk is full": "is out of space: free some, then run the same command again",
    "No space left": "is out of space: free some, then run the same command again",
    "disk I/O error": "cannot be written or read (disk I/O error): check that its disk works and has space",
    "unable to open": "cannot be opened: check that its folder exists and is writable",
    "not a database": "is not a database: name another file with --store, or move this one away",
    "malformed": "is corrupt (its database file is damaged): restore a copy, or move it away and run again",
    "is locked": "was locked by another process for too long: wait for that one, then run the same command again",
}
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EROFS, errno.EACCES, errno.EPERM)


@contextmanager
def database_trouble(store: str) -> Iterator[None]:
    """Raise ``StoreError`` where the database that is shown as ``store`` raises its own errors."""
    try:
        yield
    except DBAPIError as error:
        message = " ".join(str(error.orig).split())
        known = (sentence for sign, sentence in _DATABASE.items() if sign in message)
        raise StoreError(f"store {store} {next(known, f'cannot be used: {message}')}.") from error


@contextmanager
def disk_trouble(path: Path) -> Iterator[None]:
    """Raise ``StoreError`` where reading or writing below ``path`` raises ``OSError``."""
    try:
        yield
    except OSError as error:
        where = error.filename or path
        if error.errno in _FULL:
            reason = "there is no space left: free some, then run the same command again"
        elif error.errno in _FORBIDDEN:
            reason = "it is read-only: make it writable or name another place"
        else:
            reason = plain_reason(error)
        raise StoreError(f"{where} cannot be used: {reason}.") from error
