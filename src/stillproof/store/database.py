"""A database by URL: connections for reading and for writing, whose errors are sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import URL, Connection, Table, create_engine
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from stillproof.core.errors import StoreError
from stillproof.store import sqlite
from stillproof.store.error_sentences import database_trouble, disk_trouble
from stillproof.store.location import shown, sqlite_file

CHUNK = 500  # values in one IN list, well below the limit of every database


class Database:
    """The connections of one process; threads may share it, processes may not."""

    def __init__(self, url: URL, *, create: bool) -> None:
        """Prepare to connect; with ``create`` the folder of a SQLite file is made."""
        self.shown = shown(url)
        file = sqlite_file(url)
        if file is not None:
            with disk_trouble(file):
                sqlite.refuse_network(file)
                if create:
                    file.parent.mkdir(parents=True, exist_ok=True)
                elif not file.exists():
                    raise StoreError(f"there is no store {file}: a run makes one, or name another with --store.")
        try:
            self.engine = create_engine(url)
        except ModuleNotFoundError as error:
            raise StoreError(f"store {self.shown} needs the package {error.name}: install it.") from error
        if file is not None:
            sqlite.prepare(self.engine)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a transaction that only reads."""
        with database_trouble(self.shown), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a transaction that writes; it is committed at the end, or rolled back by an exception."""
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


def chunks(ids: Sequence[str], size: int = CHUNK) -> Iterator[Sequence[str]]:
    """Split ``ids`` into parts that fit one IN list."""
    for start in range(0, len(ids), size):
        yield ids[start : start + size]
