"""What nothing refers to any more, and how it leaves a store: artifacts, their entries and their files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, delete, select, update

from stillproof.store.artifacts import Artifacts
from stillproof.store.database import chunks
from stillproof.store.error_sentences import disk_trouble
from stillproof.store.folder_files import CARD
from stillproof.store.links import ANSWERED, Links, named_in
from stillproof.store.location import folder_beside, locate
from stillproof.store.pools import pooled
from stillproof.store.schema import artifacts as table
from stillproof.store.schema import cells
from stillproof.store.store import Store


def artifacts_of(connection: Connection, gone: Mapping[str, Links]) -> set[str]:
    """Return the artifacts that cells which go away have made.

    Those that are in the store without a cell, such as imported sets, stay; only snapshots that
    a distillation kept on the way go with it.
    """
    made = {name for cell in gone.values() for name in cell.made}
    rows = _entries(connection)
    return {row.id for row in rows if row.cell in gone or (row.id in made and row.cell is None and _snapshot(row))}


def superseded(connection: Connection, left: Mapping[str, Links]) -> set[str]:
    """Return the artifacts of cells that were computed again and have others now, which took over their names."""
    nameless = {row.id: left.get(row.cell) for row in _entries(connection) if row.cell and not row.name}
    answered = {name: cell for name, cell in nameless.items() if cell is not None and cell.status in ANSWERED}
    return {name for name, cell in answered.items() if name not in cell.made}


def unneeded(
    connection: Connection, candidates: Collection[str], left: Mapping[str, Links], artifacts: Artifacts
) -> list[str]:
    """Return those of the candidates that no cell that is left names, nor the card of an artifact that is left.

    What is in a pool is needed.
    """
    known = {row.id for row in _entries(connection)}
    named = {name for cell in left.values() for name in (*cell.reads, *cell.made)}
    needed = (known - set(candidates)) | (known & named) | pooled(connection)
    fresh: Iterable[str] = needed
    while fresh := {name for artifact in fresh for name in _card_names(artifacts, artifact)} & known - needed:
        needed |= fresh
    return sorted(set(candidates) - needed)


def forget(connection: Connection, gone: Sequence[str], unused: Sequence[str]) -> None:
    """Take cells, and artifacts that nothing needs, out of the tables; an artifact that stays has no maker then."""
    for part in chunks(unused):
        connection.execute(delete(table).where(table.c.id.in_(part)))
    for part in chunks(gone):
        connection.execute(update(table).where(table.c.cell.in_(part)).values(cell=None))
        connection.execute(delete(cells).where(cells.c.id.in_(part)))


def _entries(connection: Connection) -> list[Row[Any]]:
    return list(connection.execute(select(table.c.id, table.c.name, table.c.cell)))


def _snapshot(row: Row[Any]) -> bool:
    return bool((row.name or "").rpartition("@")[2].isdecimal())


def _card_names(artifacts: Artifacts, artifact: str) -> frozenset[str]:
    """Return the artifacts that a card names, such as the whitening of its images; none if it cannot be read."""
    path = artifacts.folder(artifact) / CARD
    with disk_trouble(path):
        return named_in(path.read_text(encoding="utf-8", errors="replace")) if path.is_file() else frozenset()


def owns_its_files(store: Store) -> bool:
    """Say whether the artifact folder is this store's alone: one that the user named may serve other stores too."""
    return store.artifacts.root == folder_beside(locate(store.url))
