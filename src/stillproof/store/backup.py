"""Copies the database of a store to a file of its own, also while a run writes to it."""

from __future__ import annotations

import os
import sqlite3
import uuid
from contextlib import closing
from pathlib import Path

from stillproof.core.errors import BadInput, StoreError
from stillproof.store.database import Database
from stillproof.store.error_sentences import database_trouble, disk_trouble, in_one_line
from stillproof.store.examine import CHECK, FINE
from stillproof.store.location import locate, shown, sqlite_file
from stillproof.store.migrate import schema_of
from stillproof.store.sqlite_reading import copy_database


def back_up(url: str | None, to: Path) -> Path:
    """Copy the SQLite file of a store, as it is at one moment, to the new file ``to``; return the store's file.

    The artifacts stay where they are. The copy is checked, and in its place whole or not at all.

    Raises:
        BadInput: The store is no SQLite file, or there is something at ``to``.
        StoreError: The store cannot be read, the copy not be written, or the check finds damage.
    """
    place = locate(url)
    file = sqlite_file(place)
    if file is None:
        raise BadInput(
            f"store {shown(place)} is no SQLite file: pg_dump backs it up, or `stillproof db copy` to a file."
        )
    if not file.is_file():
        raise StoreError(f"there is no store {file}: name another with --store.")
    if to.exists() or to.is_symlink():
        raise BadInput(f"{to} exists already: name a new file for the copy.")
    partial = to.with_name(f".{to.name}.partial-{uuid.uuid4().hex}")
    try:
        with disk_trouble(to):
            partial.touch(exist_ok=False)
            with database_trouble(f"{file} (copied to {to})"):
                copy_database(file, partial)
                _check(partial, file)
            try:
                os.link(partial, to)  # unlike a move, this takes no file's place that came in the meantime
            except FileExistsError:
                raise BadInput(f"{to} exists already: name a new file for the copy.") from None
    finally:
        for left in (partial, *partial.parent.glob(f"{partial.name}-*")):
            left.unlink(missing_ok=True)
    return file


def _check(copy: Path, file: Path) -> None:
    """Check a copy, and bring it to the disk as one file without a log."""
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        found = connection.execute(CHECK).fetchone()[0]
        if found != FINE:
            raise StoreError(f"store {file} is corrupt ({in_one_line(found)}): nothing was kept of the copy.")
        connection.execute("PRAGMA journal_mode = DELETE")  # a store that is opened has its log again
    with closing(Database(locate(str(copy)), create=False, reads="mode=rw")) as database:
        database.shown = str(file)
        schema_of(database)  # raises, where it is the database of something else
    with copy.open("rb") as written:
        os.fsync(written.fileno())
