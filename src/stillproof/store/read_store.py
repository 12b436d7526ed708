"""Opens a store that is only looked at: it may be on a read-only disk or of an older schema, and stays as it is."""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path

from sqlalchemy import URL

from stillproof.core.errors import StoreError
from stillproof.store.database import Database
from stillproof.store.error_sentences import database_trouble, disk_trouble
from stillproof.store.examine import check_database
from stillproof.store.location import artifacts_root, locate, sqlite_file
from stillproof.store.migrate import HEAD, ensure_schema, schema_of
from stillproof.store.sqlite_reading import copy_database, how_to_read
from stillproof.store.store import Store

log = logging.getLogger("stillproof")


def read_store(url: str | None = None, *, artifacts: Path | None = None) -> Store:
    """Open a store to read it: nothing is written, and no schema is changed.

    One of an older schema is read from a copy that is brought up to date and goes when the store is closed.

    Args:
        url: As ``open_store`` takes it.
        artifacts: The folder of its artifacts, likewise.

    Raises:
        StoreError: It is not there, damaged, or of a newer version.
    """
    place = locate(url)
    root = artifacts_root(place) if artifacts is None else artifacts.absolute()
    database = _database(place)
    try:
        check_database(database)
    except BaseException:
        database.close()
        raise
    return Store(place.render_as_string(hide_password=False), database, root)


def _database(place: URL) -> Database:
    file = sqlite_file(place)
    if file is None:
        return current(place)
    database = Database(place, create=False)  # says whether it is there
    database.close()
    with database_trouble(str(file)), disk_trouble(file):
        how = how_to_read(file)
    if how is not None:
        found = Database(place, create=False, reads=how)
        try:
            schema = schema_of(found)
        except BaseException:
            found.close()
            raise
        if schema == HEAD:
            return found
        found.close()
        if schema is not None:
            log.info(
                "store %s has schema %s, and %s is that of this version: it is read from a copy that is upgraded; "
                "`stillproof db upgrade` upgrades the store itself.",
                file,
                schema,
                HEAD,
            )
    return _upgraded_copy(file)


def current(place: URL) -> Database:
    """Open a database to read it that cannot be copied.

    Raises:
        StoreError: It is empty, or its schema is not that of this version.
    """
    database = Database(place, create=False, reads="postgresql")
    try:
        schema = schema_of(database)
        if schema is None:
            raise StoreError(f"there is nothing in store {database.shown}: a run makes its tables.")
        if schema != HEAD:
            raise StoreError(
                f"store {database.shown} has schema {schema}, and {HEAD} is that of this version: "
                "`stillproof db upgrade` upgrades it."
            )
    except BaseException:
        database.close()
        raise
    return database


def _upgraded_copy(file: Path) -> Database:
    folder = tempfile.TemporaryDirectory(prefix="stillproof-")
    try:
        copy = Path(folder.name) / "copy.db"
        with database_trouble(f"{file} (copied to {copy})"), disk_trouble(copy):
            copy_database(file, copy)
        writable = Database(locate(str(copy)), create=False)
        writable.shown = str(file)
        try:
            ensure_schema(writable, quietly=True)
        finally:
            writable.close()
        found = Database(locate(str(copy)), create=False, reads="mode=rw")
        found.shown, found.copied_to = str(file), folder
        return found
    except BaseException:
        folder.cleanup()
        raise
