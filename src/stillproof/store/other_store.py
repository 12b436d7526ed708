"""Opens a store that is only looked at: whatever is done with it, the original stays as it is."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from stillproof.core.errors import BadInput, StoreError
from stillproof.store.database import Database
from stillproof.store.error_sentences import database_trouble, disk_trouble
from stillproof.store.location import folder_beside, locate, shown, sqlite_file
from stillproof.store.migrate import ensure_schema
from stillproof.store.read_store import current
from stillproof.store.sqlite_reading import copy_database
from stillproof.store.store import Store


class OtherStore(Store):
    """A store in which no cell is opened again, whatever is found in it."""

    def reopen_maker(self, artifact: str) -> None:
        """Leave the cell that made a corrupt artifact as it is."""


@contextmanager
def open_other(text: str, artifacts: Path | None = None) -> Iterator[OtherStore]:
    """Open the store that ``text``, a path or a URL, names; its artifacts are in the folder beside it if none is given.

    A SQLite file is copied, so that one of an older version can be brought up to date, and one on a read-only disk be
    read; ``$STILLPROOF_ARTIFACTS`` is the folder of another store and does not count here.

    Raises:
        StoreError: It is not there, cannot be read, or is of a newer version; or of an older one and no file.
    """
    url = locate(text)
    root = folder_beside(url) if artifacts is None else artifacts.absolute()
    if root is None:
        raise BadInput(f"store {shown(url)} has no folder beside it: name that of its artifacts with --artifacts.")
    file = sqlite_file(url)
    if file is None:
        with closing(current(url)) as database:
            yield OtherStore(url.render_as_string(hide_password=False), database, root)
        return
    if not file.is_file():
        raise StoreError(f"there is no store {file}: name the file or the URL of one.")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        with database_trouble(str(file)), disk_trouble(file):
            copy_database(file, copy)
        database = Database(locate(str(copy)), create=False)
        database.shown = str(file)
        with closing(database):
            ensure_schema(database)
            yield OtherStore(str(copy), database, root)
