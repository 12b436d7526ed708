"""Looks whether the database of a store is damaged."""

from __future__ import annotations

from traceback import walk_tb

from sqlalchemy import select

from stillproof.core.errors import Corrupt, StoreError
from stillproof.core.spec import digest
from stillproof.store.database import Database
from stillproof.store.error_sentences import in_one_line
from stillproof.store.location import sqlite_file
from stillproof.store.schema import cells
from stillproof.store.strict_json import from_text

LARGE_BYTES = 200_000_000  # the check reads 100 to 400 MB a second: larger files are checked only if asked for
CHECK = "PRAGMA integrity_check(1)"  # the quick check does not see an index that is of other rows
FINE = "ok"
PACKAGE = __name__.partition(".")[0]
STATES = ("pending", "running", "done", "failed", "unsupported")


def damage_in(database: Database) -> str | None:
    """Return what SQLite's check of pages and indexes finds wrong; nothing if all is well, or it is no SQLite file."""
    if sqlite_file(database.engine.url) is None:
        return None
    with database.read() as connection:
        found = [str(row[0]) for row in connection.exec_driver_sql(CHECK)]
    return None if found == [FINE] else in_one_line(" ".join(found))


def check_database(database: Database) -> None:
    """Raise ``StoreError`` if the check finds a file damaged that is not too large for it."""
    file = sqlite_file(database.engine.url)
    if file is not None and file.stat().st_size <= LARGE_BYTES:
        raise_if_damaged(damage_in(database), database)


def blame_damage(database: Database, error: Exception) -> None:
    """Raise ``StoreError`` where an error that nobody foresaw may have come of damage, of the file or inside a cell.

    What a caller's own code has raised did not; and a fault of ours may stand beside damage, so that its place is told.
    """
    place = _place_of_ours(error)
    found = (damage_in(database) or _damaged_cell(database)) if place else None
    if found is not None:
        raise_if_damaged(in_one_line(f"{found}; seen as {error!r} in {place}"), database, error)


def _place_of_ours(error: Exception) -> str | None:
    """Return the innermost place of this package that an error came through; nothing if it came through none."""
    came_through = [(str(frame.f_globals.get("__name__")), line) for frame, line in walk_tb(error.__traceback__)]
    ours = [f"{name}, line {line}" for name, line in came_through if name.partition(".")[0] == PACKAGE]
    return ours[-1] if ours else None


def raise_if_damaged(found: str | None, database: Database, error: BaseException | None = None) -> None:
    """Raise what a check has found."""
    if found is not None:
        raise StoreError(
            f"store {database.shown} is corrupt ({found}): restore a copy, or move it away and run again."
        ) from error


def _damaged_cell(database: Database) -> str | None:
    """Return the first cell that is not what its id says, or cannot be read."""
    texts = ("spec", "where", "result", "provenance", "needs", "artifacts", "derived_from")
    with database.read() as connection:
        for row in connection.execute(select(cells)):
            try:
                values = {name: from_text(row._mapping[name]) for name in texts}
            except Corrupt:
                return in_one_line(f"cell {str(row.id)[:12]} cannot be read")
            if digest(values["spec"]) != row.id or row.status not in STATES:
                return in_one_line(f"cell {str(row.id)[:12]} is not what it was")
    return None
