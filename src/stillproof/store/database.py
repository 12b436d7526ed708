"""A database by URL: connections for reading and for writing, whose errors are sentences."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy import URL, ColumnElement, Connection, Engine, Table, create_engine
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from stillproof.core.errors import OnlyRead, StoreError, TransactionLost
from stillproof.store import postgresql, sqlite, sqlite_reading
from stillproof.store.error_sentences import database_trouble, disk_trouble
from stillproof.store.location import shown, sqlite_file

CHUNK = 500  # values in one IN list, well below the limit of every database

Columns = Any  # of SQLAlchemy's, by name, whose type it does not tell
Renewed = Callable[[Columns], tuple[dict[str, Any], ColumnElement[bool]]]
P = ParamSpec("P")
T = TypeVar("T")


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
        self._answered = False  # whether its server ever did
        file = sqlite_file(url)
        if file is not None:
            with disk_trouble(file):
                sqlite.refuse_network(file)
                if create:
                    file.parent.mkdir(parents=True, exist_ok=True)
                elif not file.exists():
                    raise StoreError(f"there is no store {file}: a run makes one, or name another with --store.")
            reader = {} if reads is None else {"creator": partial(sqlite_reading.connect, file, reads)}
            self.engine = self._reading = create_engine(url, **reader)
            sqlite.prepare(self.engine, self.shown, log_ahead=not self.reads)
        else:
            self.engine = postgresql.make_engine(url, self.shown)
            self._reading = postgresql.for_reading(self.engine)

    @property
    def is_sqlite(self) -> bool:
        """Say whether it is a SQLite file."""
        return self.engine.dialect.name == "sqlite"

    def server(self) -> str:
        """Return what answers, and its version."""
        with self.read() as connection:
            version = ".".join(map(str, connection.dialect.server_version_info or ()))
        return f"{'SQLite' if self.is_sqlite else 'PostgreSQL'} {version}"

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a transaction that only reads, and sees all as it was at one moment."""
        with database_trouble(self.shown), self._connect(self._reading) as connection:
            yield connection

    @contextmanager
    def write(self, *, alone: bool = True, wait: bool = True) -> Iterator[Connection]:
        """Open a transaction that writes; it is committed at the end, or rolled back by an exception.

        Args:
            alone: Whether no other may write meanwhile. One whose every statement stands for itself need not be alone;
                on SQLite it is in any case.
            wait: Whether to wait for a server that is away.
        """
        if self.reads:
            raise OnlyRead(f"store {self.shown} is only read here: nothing can be kept in it.")
        with database_trouble(self.shown), self._connect(self.engine, wait=wait) as connection:
            connection = connection.execution_options(writes=True)
            with connection.begin():
                if not self.is_sqlite:
                    postgresql.take_turn(connection, alone=alone)
                yield connection

    def _connect(self, engine: Engine, *, wait: bool = True) -> Connection:
        if self.is_sqlite:
            return engine.connect()
        connection = postgresql.connect(engine, self.shown, known=self._answered, wait=wait)
        self._answered = True
        return connection

    def patiently(self, do: Callable[[], T], redo: Callable[[], T] | None = None) -> T:
        """Do what is one transaction, again and again while its server goes away in the middle of it.

        Args:
            do: What to do.
            redo: What to do instead after a first try, which may have been kept; by default the same.

        Raises:
            TransactionLost: The server was away for too long.
        """
        began = time.monotonic()
        while True:
            try:
                return do()
            except TransactionLost:
                if time.monotonic() - began >= postgresql.GIVE_UP_SECONDS:
                    raise
            do = redo or do
            time.sleep(postgresql.PAUSE_SECONDS)

    def insert_new(
        self, connection: Connection, table: Table, rows: Sequence[dict[str, Any]], renewed: Renewed | None = None
    ) -> None:
        """Insert ``rows``; those whose key is there already stay as they are, but for what ``renewed`` says.

        Args:
            connection: A transaction that writes.
            table: Where to.
            rows: The rows.
            renewed: Takes the columns of a row that was to be inserted; returns what changes of the one that is there,
                and on what condition.
        """
        if not rows:
            return
        insert = (sqlite_insert if self.is_sqlite else postgresql_insert)(table)
        if renewed is None:
            insert = insert.on_conflict_do_nothing()
        else:
            values, condition = renewed(insert.excluded)
            insert = insert.on_conflict_do_update(index_elements=table.primary_key, set_=values, where=condition)
        if (
            not self.is_sqlite
        ):  # in one order: two that insert the same rows in different ones would wait for each other
            keys = [column.name for column in table.primary_key]
            rows = sorted(rows, key=lambda row: [row[key] for key in keys])
        connection.execute(insert, rows)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()
        if self.copied_to is not None:
            self.copied_to.cleanup()


class OfDatabase(Protocol):
    """What reads and writes a database."""

    _database: Database


S = TypeVar("S", bound=OfDatabase)


def harmless_twice(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Repeat a method, which then comes to the same, if the server of its database went away in the middle of it."""

    @functools.wraps(method)
    def repeated(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._database.patiently(lambda: method(self, *args, **kwargs))

    return repeated


def chunks(values: Sequence[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    """Split ``values`` into parts that fit one IN list."""
    for start in range(0, len(values), size):
        yield values[start : start + size]
