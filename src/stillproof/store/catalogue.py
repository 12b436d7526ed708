"""The names of artifacts: which are in the store, and which one a text means."""

from __future__ import annotations

import difflib
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, func, insert, or_, select, update

from stillproof.core.errors import BadInput, UnknownName
from stillproof.store.database import Database, chunks, harmless_twice
from stillproof.store.results import begins, is_prefix
from stillproof.store.schema import artifacts as table

FILE = re.compile(r"\.(pt|pth|pkl|npz|npy|safetensors|tar|ckpt|h5|zip|json|png)$")


@dataclass(frozen=True, slots=True)
class Entry:
    """An artifact that was written.

    Args:
        artifact: Its id.
        kind: What it is.
        name: What people call it.
        cell: The cell that made it.
        size: Its size in bytes.
        tensors_bytes: That of its file of tensors.
    """

    artifact: str
    kind: str
    name: str | None
    cell: str | None
    size: int
    tensors_bytes: int | None


class Catalogue:
    """The entries of the artifacts of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @harmless_twice
    def register(self, entries: Sequence[Entry]) -> None:
        """Enter artifacts that were written.

        The newest to ask for a name has it: a cell that is computed again under other numerics gives
        other bytes under the same name. The first cell that made an artifact stays its maker.
        """
        with self._database.write() as connection:
            for entry in entries:
                _register(connection, entry)

    def resolve(self, text: str, kind: str | None) -> str:
        """Return the id of the artifact that ``text`` means: an id, a name, or the beginning of one.

        Names of what was imported begin with its method, as in ``mine-digits-1ipc-30622e``, so that ``mine`` will do.

        Raises:
            BadInput: There is none, there are several, or it is of another kind.
        """
        called = or_(table.c.id == text, table.c.name == text)  # a name may be the beginning of the id of another
        found = self._find(or_(called, begins(table, text)) if is_prefix(text) else called)
        found = found or self._imported_as(text)
        right = [row for row in found if kind in (None, row.kind)]
        if len(right) == 1:
            return str(right[0].id)
        if right:
            longer = [row.id[: len(text) + 4] if row.id.startswith(text) else row.name for row in right[:5]]
            raise BadInput(f"{text!r} is the beginning of several artifacts: write more of it ({', '.join(longer)}).")
        if found:
            raise BadInput(f"artifact {text!r} is of kind {found[0].kind}, but one of kind {kind} is needed.")
        if "/" in text or FILE.search(text):
            raise BadInput(f"{text} is not there: there is no such file or folder.")
        # A store may hold thousands.
        raise UnknownName("artifact", text, self.similar(text, kind) or self._newest(kind)[:10])

    def cell_of(self, artifact: str) -> str | None:
        """Return the cell that made an artifact, if it was made in this store."""
        found = self._find(table.c.id == artifact)
        return found[0].cell if found else None

    @harmless_twice
    def makers_of(self, artifacts: Sequence[str]) -> dict[str, str]:
        """Return the cells that made those of the artifacts that were made in this store, by artifact."""
        query = select(table.c.id, table.c.cell).where(table.c.cell.is_not(None))
        with self._database.read() as connection:
            rows = [row for part in chunks(artifacts) for row in connection.execute(query.where(table.c.id.in_(part)))]
        return {row.id: row.cell for row in rows}

    @harmless_twice
    def names_of(self, artifacts: Sequence[str], kind: str) -> dict[str, str]:
        """Return the names of the artifacts of one kind among these; an artifact without a name has an empty one."""
        query = select(table.c.id, table.c.name).where(table.c.kind == kind)
        with self._database.read() as connection:
            rows = [row for part in chunks(artifacts) for row in connection.execute(query.where(table.c.id.in_(part)))]
        return {row.id: row.name or "" for row in rows}

    def named_after(self, artifact: str) -> dict[int, str]:
        """Return the artifacts that are named after another one with a number, as in name@50, by number."""
        own = next((row.name for row in self._find(table.c.id == artifact)), None)
        found = self._find(table.c.name.startswith(f"{own}@", autoescape=True)) if own else []
        numbered = {row.name.removeprefix(f"{own}@"): str(row.id) for row in found}
        return {int(number): name for number, name in numbered.items() if number.isdecimal()}

    @harmless_twice
    def tensors_bytes(self, artifacts: Sequence[str]) -> dict[str, int]:
        """Return the size that the file of tensors of each artifact had, by id, where it is known."""
        query = select(table.c.id, table.c.tensors_bytes).where(table.c.tensors_bytes.is_not(None))
        with self._database.read() as connection:
            rows = [row for part in chunks(artifacts) for row in connection.execute(query.where(table.c.id.in_(part)))]
        return {row.id: row.tensors_bytes for row in rows}

    @harmless_twice
    def _find(self, condition: Any) -> list[Row[Any]]:
        with self._database.read() as connection:
            return list(connection.execute(select(table).where(condition).order_by(table.c.id)))

    def _imported_as(self, text: str) -> list[Row[Any]]:
        """Return what no cell made and whose name begins with ``text``; sets on the way to another have an @."""
        begun = table.c.name.istartswith(f"{text}-", autoescape=True)
        return [row for row in self._find(begun & table.c.cell.is_(None)) if "@" not in row.name]

    def similar(self, text: str, kind: str | None) -> list[str]:
        """Return up to three names that come close to ``text``, or whose beginnings do."""
        known = self._newest(kind)
        close = difflib.get_close_matches(text, known, n=3, cutoff=0.5)
        begun = [name for name in known if difflib.get_close_matches(text, [name[: len(text) + 1]], cutoff=0.8)]
        return close or begun[:3]

    def _newest(self, kind: str | None) -> list[str]:
        """Return what people call the artifacts of a kind, the newest first."""
        rows = self._find(table.c.kind == kind if kind else table.c.id != "")
        return [row.name or row.id[:12] for row in sorted(rows, key=lambda row: -row.created)]


def _register(connection: Connection, entry: Entry) -> None:
    later = {"cell": entry.cell, "tensors_bytes": entry.tensors_bytes}  # what an earlier entry may lack
    if entry.name is not None:
        connection.execute(update(table).where(table.c.name == entry.name).values(name=None))
    if connection.execute(select(table.c.id).where(table.c.id == entry.artifact)).scalar() is None:
        new = {"id": entry.artifact, "kind": entry.kind, "name": entry.name, "bytes": entry.size}
        connection.execute(insert(table).values(new | later | {"created": time.time()}))
        return
    filled = {key: func.coalesce(table.c[key], value) for key, value in later.items() if value is not None}
    changes = filled if entry.name is None else filled | {"name": entry.name}
    if changes:
        connection.execute(update(table).where(table.c.id == entry.artifact).values(changes))
