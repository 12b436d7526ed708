"""Opens a store that is only looked at: whatever is done with it, the original stays as it is."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from stillproof.core.errors import BadInput, StoreError
from stillproof.store.database import Database
from stillproof.store.location import folder_beside, locate, shown, sqlite_file
from stillproof.store.migrate import ensure_schema
from stillproof.store.store import Store, open_store


@contextmanager
def open_other(text: str, artifacts: Path | None = None) -> Iterator[Store]:
    """Open the store that ``text``, a path or a URL, names; its artifacts are in the folder beside it if none is given.

    A SQLite file is copied, so that one of an older version can be brought up to date, and one on a read-only disk be
    read; ``$STILLPROOF_ARTIFACTS`` is the folder of another store and does not count here.

    Raises:
        StoreError: It is not there, cannot be read, or is of a newer version.
    """
    url = locate(text)
    root = folder_beside(url) if artifacts is None else artifacts.absolute()
    if root is None:
        raise BadInput(f"store {shown(url)} has no folder beside it: name that of its artifacts with --artifacts.")
    file = sqlite_file(url)
    if file is None:
        with open_store(text, create=False, artifacts=root) as store:
            yield store
        return
    if not file.is_file():
        raise StoreError(f"there is no store {file}: name the file or the URL of one.")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        _copy(file, copy)
        database = Database(locate(str(copy)), create=False)
        database.shown = str(file)
        with closing(database):
            ensure_schema(database)
            yield Store(str(copy), database, root)


def _copy(file: Path, copy: Path) -> None:
    """Copy a SQLite file as it is at one moment, even while others write to it."""
    # Without a log beside it nobody has it open: it is then read without leaving a trace, even on a read-only disk.
    how = "mode=ro" if file.with_name(f"{file.name}-wal").exists() else "immutable=1"
    try:
        source = sqlite3.connect(f"file:{quote(str(file))}?{how}", uri=True)
        with closing(source), closing(sqlite3.connect(copy)) as target:
            source.backup(target)
    except sqlite3.Error as error:
        raise StoreError(f"store {file} cannot be read: {error}.") from error
