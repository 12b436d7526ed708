"""Reads a SQLite file without leaving a trace: on a read-only disk, of another user, or while others write to it."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from stillproof.store.sqlite import patiently

SMALLEST = 512  # bytes of a database
# Signs of a place that cannot be written, where SQLite finds no room for the files that go with a log.
_NOT_WRITABLE = ("unable to open", "readonly", "read-only")


def connect(file: Path, how: str) -> sqlite3.Connection:
    """Open a file as the parameters of SQLite's URI in ``how`` say, such that nothing can be written through it."""
    # SQLAlchemy closes connections of other threads too.
    connection = sqlite3.connect(
        f"file:{quote(str(file))}?{how}", uri=True, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA query_only = ON")
    return connection


def how_to_read(file: Path) -> str | None:
    """Return the parameters that ``connect`` reads a file with; nothing if it can only be read from a copy.

    Raises:
        sqlite3.Error: It is damaged, or no database.
    """
    if 0 < file.stat().st_size < SMALLEST:
        raise sqlite3.DatabaseError("file is not a database")  # SQLite would take it for an empty one
    # With a log others have it open, or had when they were killed. Without one, only who may write to the file removes
    # the log that SQLite makes; and where none can be made nobody else has the file open, so that it does not change.
    writable = os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)
    ways = ["mode=ro"] if _has_log(file) else ["mode=rw", "immutable=1"] if writable else ["immutable=1"]
    for how in ways:
        try:
            with closing(connect(file, how)) as connection:
                patiently(lambda: connection.execute("SELECT count(*) FROM sqlite_master").fetchone(), str(file))
        except sqlite3.OperationalError as error:
            if any(sign in str(error) for sign in _NOT_WRITABLE):
                continue
            raise
        return how
    return None


def copy_database(file: Path, copy: Path) -> None:
    """Copy a SQLite file as it is at one moment, even while others write to it, to a file that is not there yet.

    Raises:
        sqlite3.Error: It is damaged, or no database, or there is no space for the copy.
    """
    how = how_to_read(file)
    if how is None:  # nobody can write here, so that the file and its log stay as they are
        shutil.copyfile(file, copy)
        shutil.copyfile(log_of(file), log_of(copy))
        return
    with closing(connect(file, how)) as source, closing(sqlite3.connect(copy)) as target:
        patiently(lambda: source.backup(target), str(file))


def log_of(file: Path) -> Path:
    """Return the write-ahead log that belongs to a SQLite file, whether or not it is there."""
    return file.with_name(f"{file.name}-wal")


def _has_log(file: Path) -> bool:
    try:
        return log_of(file).stat().st_size > 0
    except FileNotFoundError:
        return False
