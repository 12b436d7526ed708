"""Brings the schema of a store to this version's; alembic is imported only where there is something to do."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from sqlalchemy import Connection, String, inspect, text
from sqlalchemy.exc import DBAPIError

from stillproof.core.errors import StoreError
from stillproof.store.database import Database
from stillproof.store.error_sentences import in_one_line

if TYPE_CHECKING:
    from alembic.config import Config

HEAD = "0008"
NAMES_THAT_LAST = "0003"  # cells were named differently before
RENAMED = "; its tables and artifacts are as they were, but questions have new names, so that a run computes them anew"
SCRIPTS = "stillproof.store:migrations"
VERSION_TABLE = "alembic_version"
VERSION = text(f"SELECT version_num FROM {VERSION_TABLE}")

log = logging.getLogger("stillproof")


def ensure_schema(database: Database, *, quietly: bool = False) -> None:
    """Create the tables of a new store, upgrade those of an older one; say so, unless ``quietly``.

    Raises:
        StoreError: The schema is of a newer version, or the tables are of another program; nothing was touched.
    """
    if _is_current(database):
        return
    with database.write() as connection:
        found = _schema_in(connection, database.shown)
        if found == HEAD:  # another process was faster
            return
        upgrade(connection)
    if found is not None and not quietly:
        renamed = RENAMED if found < NAMES_THAT_LAST else ""
        log.info("store %s was upgraded from schema %s to %s%s.", database.shown, found, HEAD, renamed)


def schema_of(database: Database) -> str | None:
    """Return the schema of a store that this version knows; nothing for a file without tables.

    Raises:
        StoreError: It is of a newer version, or the tables are of another program.
    """
    with database.read() as connection:
        return _schema_in(connection, database.shown)


def _schema_in(connection: Connection, shown: str) -> str | None:
    tables = set(inspect(connection).get_table_names())
    found = connection.execute(VERSION).scalar() if VERSION_TABLE in tables else None
    if found is None and tables - {VERSION_TABLE}:
        raise StoreError(f"store {shown} is a database of something else: name another store.")
    if found is not None and found != HEAD and not _known(found):
        raise StoreError(
            f"store {shown} was written by a newer version of Stillproof (schema {in_one_line(str(found))}, this "
            f"version knows {HEAD}): "
            "upgrade Stillproof, or name another store."
        )
    return found


def upgrade(connection: Connection) -> None:
    """Run the migrations that are missing, inside the transaction of ``connection``."""
    from alembic import command

    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    if connection.dialect.name == "postgresql":
        _sort_by_code(connection)


def _sort_by_code(connection: Connection) -> None:
    """Have PostgreSQL compare texts by the codes of their letters, as SQLite does, whatever language it speaks.

    In Danish, for one, ``aa`` comes after ``z``, so that ids that begin alike would not stand together.
    """
    quoted = connection.dialect.identifier_preparer.quote
    for table, columns in _without_collation(connection).items():
        changes = (f'ALTER COLUMN {quoted(name)} TYPE {kind} COLLATE "C"' for name, kind in columns.items())
        connection.exec_driver_sql(f"ALTER TABLE {quoted(table)} {', '.join(changes)}")


def _without_collation(connection: Connection) -> dict[str, dict[str, str]]:
    """Return the columns of texts that are compared as the server's language has it, with their types, by table."""
    found: dict[str, dict[str, str]] = {}
    for table in inspect(connection).get_table_names():
        for column in inspect(connection).get_columns(table):
            kind = column["type"]
            if isinstance(kind, String) and kind.collation is None:
                found.setdefault(table, {})[column["name"]] = kind.compile(connection.dialect)
    return found


def _is_current(database: Database) -> bool:
    with database.read() as connection:
        try:
            return bool(connection.execute(VERSION).scalar() == HEAD)
        except DBAPIError:
            return False  # a new store has no such table; whatever else it may be shows in what follows


def _known(revision: str) -> bool:
    from alembic.script import ScriptDirectory

    return revision in {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}


def _config() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", SCRIPTS)
    return config
