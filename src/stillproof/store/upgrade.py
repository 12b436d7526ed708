"""Brings the schema of a store to this version's because a person asks for it, with a copy of what it was."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from stillproof.core.spec import Json
from stillproof.store.backup import back_up
from stillproof.store.database import Database
from stillproof.store.location import locate, sqlite_file
from stillproof.store.migrate import HEAD, ensure_schema, schema_of


@dataclass(frozen=True, slots=True)
class Upgraded:
    """A store, the schema that it had and has, and the copy of what it was, if there was anything to do."""

    store: str
    before: str | None
    after: str
    backup: Path | None

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        backup = None if self.backup is None else str(self.backup)
        return {"store": self.store, "before": self.before, "after": self.after, "backup": backup}


def upgrade_store(url: str | None) -> Upgraded:
    """Upgrade a store that is there; a SQLite file is copied to one beside it first.

    Raises:
        StoreError: It is not there, of a newer version, or of another program; nothing was changed.
    """
    place = locate(url)
    with closing(Database(place, create=False)) as database:
        before = schema_of(database)
        if before == HEAD:
            return Upgraded(database.shown, before, HEAD, None)
        file = sqlite_file(place)
        backup = None
        if file is not None and before is not None:
            backup = _free_name(file, before)
            back_up(str(file), backup)
        ensure_schema(database, quietly=True)
        return Upgraded(database.shown, before, HEAD, backup)


def _free_name(file: Path, schema: str) -> Path:
    """Return a name beside a file that says which schema it has."""
    found, number = file.with_name(f"{file.stem}-schema-{schema}{file.suffix}"), 1
    while found.exists():
        number += 1
        found = file.with_name(f"{file.stem}-schema-{schema}-{number}{file.suffix}")
    return found
