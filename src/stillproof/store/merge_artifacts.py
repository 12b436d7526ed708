"""Brings artifacts from another store: their files, and their entries in the catalogue."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Row, select

from stillproof.core.errors import Corrupt, StoreError
from stillproof.store.artifact_files import CARD, check, read_files
from stillproof.store.links import named_in
from stillproof.store.schema import artifacts as table
from stillproof.store.store import Store


class ArtifactMerge:
    """Brings artifacts, each once and after those that its card names, and keeps count."""

    def __init__(self, store: Store, other: Store) -> None:
        """Compare the catalogues."""
        self.came: list[str] = []
        self.bytes = 0
        self.lost: dict[str, str] = {}
        self.unnamed: list[str] = []
        self._store, self._other = store, other
        self._theirs, self._ours = _entries(other), _entries(store)
        self._names = {row.name: row.id for row in self._ours.values() if row.name}
        self._seen: set[str] = set()

    def bring_own(self, *, but: Collection[str]) -> None:
        """Bring all that no cell made, such as imported sets."""
        for artifact, row in self._theirs.items():
            if row.cell is None and artifact not in but:
                self.bring(artifact)

    def bring(self, artifact: str) -> None:
        """Bring one artifact, unless it is here, or cannot be read there."""
        row = self._theirs.get(artifact)
        if row is None or artifact in self._seen:
            return
        self._seen.add(artifact)
        if artifact not in self._ours or self._store.artifacts.tensors_bytes(artifact) is None:
            if not self._copy(artifact):
                return
            self.came.append(artifact)
        name = self._free_name(row)
        if artifact not in self._ours or name is not None:
            self._store.register_artifact(artifact, row.kind, name, row.cell, row.bytes)

    def _copy(self, artifact: str) -> bool:
        folder = self._other.artifacts.folder(artifact)
        try:
            files = read_files(folder)
            if check(files, folder).id != artifact:
                raise Corrupt(f"{folder} is corrupt: it holds another artifact.")
        except StoreError as error:
            self.lost[artifact] = str(error)
            return False
        for needed in sorted(named_in(files[CARD].decode()) - {artifact}):
            self.bring(needed)
            if needed in self.lost:
                self.lost[artifact] = self.lost[needed]
                return False
        self._store.artifacts.place(artifact, files)
        self.bytes += sum(map(len, files.values()))
        return True

    def _free_name(self, row: Row[Any]) -> str | None:
        """Return the name that an artifact has there, unless it has one here, or another has that one here."""
        here = self._ours.get(row.id)
        if row.name is None or (here is not None and here.name is not None):
            return None
        if self._names.setdefault(row.name, row.id) != row.id:
            self.unnamed.append(row.name)
            return None
        return str(row.name)


def _entries(store: Store) -> dict[str, Row[Any]]:
    with store.database.read() as connection:
        return {row.id: row for row in connection.execute(select(table).order_by(table.c.created))}
