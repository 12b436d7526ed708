"""Turns what databases and file systems raise into one sentence that says what to do."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from stillproof.core.errors import StoreError, TransactionLost
from stillproof.core.plain_reason import plain_reason
from stillproof.store.postgresql import was_cut

_NO_HOST = "is on a host that is not known here: check its name"
_DATABASE = {
    "readonly database": "is read-only: make it writable or name another with --store",
    "read-only transaction": "is read-only: make it writable or name another with --store",
    "disk is full": "is out of space: free some, then run the same command again",
    "No space left": "is out of space: free some, then run the same command again",
    "disk I/O error": "cannot be written or read (disk I/O error): check that its disk works and has space",
    "unable to open": "cannot be opened: check that its folder exists and is writable",
    "Could not decode": "is corrupt (its database file is damaged): restore a copy, or move it away and run again",
    "no such": "is corrupt or of another program (a table or column is missing): name another store, or restore a copy",
    "unsupported file format": "is corrupt or of another program: name another store, or restore a copy",
    "not a database": "is not a database: name another file with --store, or move this one away",
    "malformed": "is corrupt (its database file is damaged): restore a copy, or move it away and run again",
    "Connection refused": "does not answer: check its host and port, and that its server runs",
    "timeout expired": "does not answer: check its host and port, and that no firewall lies between",
    "could not translate host name": _NO_HOST,
    "failed to resolve host": _NO_HOST,
    "authentication failed": "lets nobody in with this user and password: check both",
    "no password supplied": "asks for a password: write it into the URL, or into ~/.pgpass",
    "permission denied": "may not be used by this user: let its owner grant what is missing",
    "is locked": "was locked by another process for too long: wait for that one, then run the same command again",
}
LONGEST = 300  # letters of what a database says
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EROFS, errno.EACCES, errno.EPERM)


def in_one_line(text: str) -> str:
    """Return what a database says as it may be printed, whatever bytes of a damaged file it repeats."""
    line = " ".join(text.split())[:LONGEST]
    return "".join(letter if letter.isprintable() else "?" for letter in line)


@contextmanager
def database_trouble(store: str) -> Iterator[None]:
    """Raise ``StoreError`` where the database that is shown as ``store`` raises its own errors."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        message = in_one_line(str(error.orig if isinstance(error, DBAPIError) else error))
        known = (sentence for sign, sentence in _DATABASE.items() if sign in message)
        kind = TransactionLost if isinstance(error, DBAPIError) and was_cut(error) else StoreError
        raise kind(f"store {store} {next(known, f'cannot be used: {message}')}.") from error
    except UnicodeDecodeError as error:  # in what SQLite says of a damaged schema
        raise StoreError(f"store {store} {_DATABASE['malformed']}.") from error


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
