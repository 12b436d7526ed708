"""Copies a whole store into an empty one, whatever databases are behind them: every row as it is, and every file."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select

from stillproof.core.errors import BadInput, StoreError
from stillproof.core.spec import Json
from stillproof.store.artifact_files import read_whole
from stillproof.store.database import Database
from stillproof.store.error_sentences import disk_trouble
from stillproof.store.links import ANSWERED, in_use, read_links
from stillproof.store.location import artifacts_root, folder_beside, locate
from stillproof.store.read_store import read_store
from stillproof.store.schema import artifacts, metadata
from stillproof.store.store import Store, open_store
from stillproof.store.strict_json import storable

ROWS = 500  # at a time
MOST_BYTES = 2**26  # of artifacts that are written at once

Tell = Callable[[float, str], None]  # takes the share that is done, 0 to 1, and what that is


@dataclass(frozen=True, slots=True)
class Copied:
    """What was copied.

    Args:
        source: The store that it came from, for people.
        target: The one that it is in now.
        rows: How many rows, by table.
        artifacts: How many artifacts were written; none, if both stores have one folder.
        bytes: Size of their files.
        lost: Why artifacts could not be read there, by id.
        shown: How many texts had a letter that the new database cannot hold, and have a sign in its place.
    """

    source: str
    target: str
    rows: dict[str, int]
    artifacts: int
    bytes: int
    lost: dict[str, str]
    shown: int

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        rows = [{"table": table, "count": count} for table, count in self.rows.items()]
        return {name: getattr(self, name) for name in self.__slots__} | {"rows": rows}


def copy_store(source: str, target: str, folder: Path | None, tell: Tell) -> Copied:
    """Copy a store into another one, which is made if need be; that from which it comes is only read.

    Files come first and all rows at once at the end, so that the new store is empty wherever this was stopped.

    Args:
        source: A URL, or the path of a SQLite file.
        target: Likewise.
        folder: The folder of artifacts of ``source``; by default the one beside its file, or $STILLPROOF_ARTIFACTS.
        tell: Is told how far it is.

    Raises:
        BadInput: There is something in ``target``.
        StoreError: A store cannot be read or written, or cells of ``source`` are being computed.
    """
    theirs, ours = folder or _folder(source, there=True), _folder(target, there=False)
    with read_store(source, artifacts=theirs) as before:
        unanswered = _unanswered(before)
        with open_store(target, artifacts=ours) as after:
            _refuse_full(after.database)
            total = _rows_in(before.database)
            written, size, lost = _copy_artifacts(before, after, tell)
            _copy_checkpoints(before, after, unanswered)
            rows, shown = _copy_rows(before.database, after.database, total, tell)
            return Copied(before.shown, after.shown, rows, written, size, lost, shown)


def _folder(text: str, *, there: bool) -> Path:
    """Return the folder of a store's artifacts: beside its file, where it is there if it has to be."""
    place = locate(text)
    beside = folder_beside(place)
    return beside if beside is not None and (beside.is_dir() or not there) else artifacts_root(place)


def _unanswered(store: Store) -> list[str]:
    """Return the cells without an answer, of which a living process may compute none."""
    with store.database.read() as connection:
        links = read_links(connection)
    busy = in_use(links, links)
    if busy is not None:
        raise StoreError(
            f"store {store.shown} is in use ({busy.computed()}): stop that command or wait for it, then copy; nothing "
            "was copied."
        )
    return [cell.id for cell in links.values() if cell.status not in ANSWERED]


def _rows_in(database: Database) -> int:
    with database.read() as connection:
        return sum(_count(connection, table) for table in metadata.sorted_tables)


def _count(connection: Connection, table: Table) -> int:
    return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def _refuse_full(database: Database) -> None:
    found = _rows_in(database)
    if found:
        raise BadInput(
            f"store {database.shown} has {found} rows already, and a copy needs an empty one: name another, or bring "
            "the two together with `stillproof db merge`."
        )


def _copy_artifacts(before: Store, after: Store, tell: Tell) -> tuple[int, int, dict[str, str]]:
    """Return how many were copied, their size, and why others could not be read."""
    if before.artifacts.root.resolve() == after.artifacts.root.resolve():
        return 0, 0, {}
    with before.database.read() as connection:
        every = list(connection.execute(select(artifacts.c.id).order_by(artifacts.c.id)).scalars())
    lost: dict[str, str] = {}
    waiting: dict[str, dict[str, bytes]] = {}
    count = size = held = 0
    for number, artifact in enumerate(every):
        tell(number / len(every) / 2, f"artifact {number + 1} of {len(every)}")
        try:
            found, files = read_whole(before.artifacts.folder(artifact))
            if found.id != artifact:
                raise StoreError(f"{before.artifacts.folder(artifact)} is corrupt: it holds another artifact.")
        except StoreError as error:
            lost[artifact] = str(error)
            continue
        waiting[artifact] = files
        held += sum(map(len, files.values()))
        if held >= MOST_BYTES:
            after.artifacts.place_all(waiting)
            count, size, held = count + len(waiting), size + held, 0
            waiting.clear()
    after.artifacts.place_all(waiting)
    return count + len(waiting), size + held, lost


def _copy_checkpoints(before: Store, after: Store, cells: Sequence[str]) -> None:
    """Copy what unfinished cells go on from."""
    if before.checkpoints.resolve() != after.checkpoints.resolve():
        for cell in cells:
            with disk_trouble(after.scratch(cell)):
                if before.scratch(cell).is_dir():
                    shutil.copytree(before.scratch(cell), after.scratch(cell), dirs_exist_ok=True)


def _copy_rows(before: Database, after: Database, total: int, tell: Tell) -> tuple[dict[str, int], int]:
    """Copy all rows in one transaction; return how many, by table, and how many texts had to be changed."""
    rows: dict[str, int] = {}
    shown = done = 0
    with before.read() as reading, after.write() as writing:
        if any(_count(writing, table) for table in metadata.sorted_tables):
            raise BadInput(f"store {after.shown} was filled by another process meanwhile: name another.")
        for table in metadata.sorted_tables:  # what others refer to comes first
            rows[table.name] = 0
            for part in _parts(reading, table):
                if not after.is_sqlite:
                    shown += sum(_show(row) for row in part)
                writing.execute(insert(table), part)
                rows[table.name] += len(part)
                done += len(part)
                tell(0.5 + done / max(total, 1) / 2, f"{done} rows of {total}")
            if not after.is_sqlite:
                _go_on_counting(writing, table)
    return rows, shown


def _parts(connection: Connection, table: Table) -> Iterator[list[dict[str, Any]]]:
    streaming = connection.execution_options(yield_per=ROWS)
    for part in streaming.execute(select(table).order_by(*table.primary_key)).mappings().partitions():
        yield [dict(row) for row in part]


def _show(row: dict[str, Any]) -> int:
    """Put signs in the place of letters that PostgreSQL cannot hold; return how many texts had some."""
    changed = {name: storable(value) for name, value in row.items() if isinstance(value, str) and "\0" in value}
    row.update(changed)
    return len(changed)


def _go_on_counting(connection: Connection, table: Table) -> None:
    """Let the next row that counts itself have the number after the last."""
    column = table.autoincrement_column
    last = None if column is None else connection.execute(select(func.max(column))).scalar()
    if column is not None and last is not None:
        sequence = func.pg_get_serial_sequence(table.name, column.name)
        connection.execute(select(func.setval(sequence, last)))
