"""The names of artifacts: which are in the store, and which one a text means."""

from __future__ import annotations

import difflib
import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, func, insert, or_, select, update

from stillproof.core.errors import BadInput, UnknownName
from stillproof.store.database import Database, chunks
from stillproof.store.results import begins, is_prefix
from stillproof.store.schema import artifacts as table


class Catalogue:
    """The entries of the artifacts of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def register(
        self, artifact: str, kind: str, name: str | None, cell: str | None, size: int, tensors_bytes: int | None
    ) -> None:
        """Enter an artifact that was written, with its size in bytes and that of its file of tensors.

        The newest to ask for a name has it: a cell that is computed again under other numerics gives
        other bytes under the same name. The first cell that made an artifact stays its maker.
        """
        later = {"cell": cell, "tensors_bytes": tensors_bytes}  # what an earlier entry may lack
        values = {"id": artifact, "kind": kind, "name": name, "bytes": size, "created": time.time(), **later}
        with self._database.write() as connection:
            if name is not None:
                connection.execute(update(table).where(table.c.name == name).values(name=None))
            if connection.execute(select(table.c.id).where(table.c.id == artifact)).scalar() is None:
                connection.execute(insert(table).values(values))
            else:
                filled = {key: func.coalesce(table.c[key], value) for key, value in later.items() if value is not None}
                changes = filled if name is None else filled | {"name": name}
                if changes:
                    connection.execute(update(table).where(table.c.id == artifact).values(changes))

    def resolve(self, text: str, kind: str | None) -> str:
        """Return the id of the artifact that ``text`` means: an id, the beginning of one, or a name.

        Raises:
            BadInput: There is none, there are several, or it is of another kind.
        """
        exact = or_(table.c.id == text, table.c.name == text)
        found = self._find(exact) or (self._find(begins(table, text)) if is_prefix(text) else [])
        right = [row for row in found if kind in (None, row.kind)]
        if len(right) == 1:
            return str(right[0].id)
        if right:
            ids = ", ".join(row.id[: len(text) + 4] for row in right[:5])
            raise BadInput(f"{text!r} begins more than one artifact: write more of it ({ids}).")
        if found:
            raise BadInput(f"artifact {text!r} is of kind {found[0].kind}, but one of kind {kind} is needed.")
        raise self._unknown(text, kind)

    def cell_of(self, artifact: str) -> str | None:
        """Return the cell that made an artifact, if it was made in this store."""
        found = self._find(table.c.id == artifact)
        return found[0].cell if found else None

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

    def tensors_bytes(self, artifacts: Sequence[str]) -> dict[str, int]:
        """Return the size that the file of tensors of each artifact had, by id, where it is known."""
        query = select(table.c.id, table.c.tensors_bytes).where(table.c.tensors_bytes.is_not(None))
        with self._database.read() as connection:
            rows = [row for part in chunks(artifacts) for row in connection.execute(query.where(table.c.id.in_(part)))]
        return {row.id: row.tensors_bytes for row in rows}

    def _find(self, condition: Any) -> list[Row[Any]]:
        with self._database.read() as connection:
            return list(connection.execute(select(table).where(condition).order_by(table.c.id)))

    def _unknown(self, text: str, kind: str | None) -> UnknownName:
        """Name what comes closest, or else the newest: a store may hold thousands."""
        rows = sorted(self._find(table.c.kind == kind if kind else table.c.id != ""), key=lambda row: -row.created)
        known = [row.name or row.id[:12] for row in rows]
        close = difflib.get_close_matches(text, known, n=3, cutoff=0.5)
        return UnknownName("artifact", text, close or known[:10])
