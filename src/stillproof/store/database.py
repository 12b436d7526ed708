"""A database by URL: connections for reading and for writing, whose errors are sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import URL, Connection, Table, create_engine
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from stillproof.core.errors import OnlyRead, StoreError
from stillproof.store import sqlite, sqlite_reading
from stillproof.store.error_sentences import database_trouble, disk_trouble
from stillproof.store.location import shown, sqlite_file

CHUNK = 500  # values in one IN list, well below the limit of every database


class Database:
    """The connections of one process; threads may share it, processes may not."""

    def __init__(self, url: URL, *, create: bool, reads: str | None = None) -> None:
        """Prepare to connect.

        Args:
            url: Where it is.
            create: Make the folder of a SQLite file.
            reads: Only read, as these parameters of SQLite's URI say; any other database needs none.
        """
        self.shown = shown(url)
        self.reads = reads is not None
        self.copied_to: TemporaryDirectory[str] | None = None  # goes with it
        file = sqlite_file(url)
        if file is not None:
            with disk_trouble(file):
                sqlite.refuse_network(file)
                if create:
                    file.parent.mkdir(parents=True, exist_ok=True)
                elif not file.exists():
                    raise StoreError(f"there is no store {file}: a run makes one, or name another with --store.")
        try:
            if file is not None and reads is not None:
                self.engine = create_engine(url, creator=partial(sqlite_reading.connect, file, reads))
            else:
                self.engine = create_engine(url)
        except ModuleNotFoundError as error:
            raise StoreError(f"store {self.shown} needs the package {error.name}: install it.") from error
        if file is not None:
            sqlite.prepare(self.engine, self.shown, log_ahead=not self.reads)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a transaction that only reads."""
        with database_trouble(self.shown), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a transaction that writes; it is committed at the end, or rolled back by an exception."""
        if self.reads:
            raise OnlyRead(f"store {self.shown} is only read here: nothing can be kept in it.")
        with database_trouble(self.shown), self.engine.connect() as connection:
            connection = connection.execution_options(writes=True)
            with connection.begin():
                yield connection

    def insert_new(self, connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
        """Insert ``rows``, leaving alone those whose key is there already."""
        insert = sqlite_insert if self.engine.dialect.name == "sqlite" else postgresql_insert
        if rows:
            connection.execute(insert(table).on_conflict_do_nothing(), rows)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()
        if self.copied_to is not None:
            self.copied_to.cleanup()


def chunks(ids: Sequence[str], size: int = CHUNK) -> Iterator[Sequence[str]]:
    """Split ``ids`` into parts that fit one IN list."""
    for start in range(0, len(ids), size):
        yield ids[start : start + size]
