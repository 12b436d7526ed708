"""Brings artifacts from another store: their files, and their entries in the catalogue."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Row, select

from stillproof.core.errors import Corrupt, StoreError
from stillproof.core.safe_name import is_file_name
from stillproof.core.tensor_size import size_in_bytes
from stillproof.store.artifact_files import Artifact, read_whole
from stillproof.store.catalogue import Entry
from stillproof.store.folder_files import CARD, TENSORS
from stillproof.store.foreign_rows import ForeignArtifact, ForeignCell, Refused, foreign_artifact
from stillproof.store.links import named_in
from stillproof.store.results import is_prefix
from stillproof.store.schema import artifacts as table
from stillproof.store.store import Store

SHOWN = 60  # letters of a name that is none
DEEPEST = 20  # artifacts that need each other one after another; a set needs a whitening, and a teacher that has one
TOGETHER, MOST_BYTES = 500, 2**26  # artifacts that are written at once


class ArtifactMerge:
    """Brings artifacts, each once and after those that its card names, and keeps count."""

    def __init__(self, store: Store, other: Store, cells: Mapping[str, ForeignCell]) -> None:
        """Compare the catalogues; ``cells`` are those of the other store that can be right."""
        self.came: list[str] = []
        self.bytes = 0
        self.lost: dict[str, str] = {}
        self.unnamed: list[str] = []
        self.misnamed: list[str] = []
        self._store, self._other, self._cells = store, other, cells
        self._theirs, self._ours = _foreign(other), _entries(store)
        self._names = {row.name: row.id for row in self._ours.values() if row.name}
        self._seen: set[str] = set()
        self._waiting: dict[str, tuple[Entry, dict[str, bytes]]] = {}
        self._written = 0

    def bring_own(self, *, but: Collection[str]) -> None:
        """Bring all that no cell made, such as imported sets."""
        for artifact, row in self._theirs.items():
            if row.cell is None and artifact not in but:
                self.bring(artifact)

    def bring(self, artifact: str, depth: int = 0) -> None:
        """Bring one artifact, unless it is here, or cannot be read there; ``depth`` others need it, each the next."""
        row = self._theirs.get(artifact)
        if row is None or artifact in self._seen:
            return
        self._seen.add(artifact)
        here = self._ours.get(artifact)
        if here is not None and self._store.artifacts.tensors_bytes(artifact) is not None:
            if (name := self._free_name(row)) is not None:
                self._store.register_artifact(artifact, here.kind, name, None, here.bytes)
            return
        taken = self._read(artifact, depth)
        if taken is not None:
            found, files = taken
            size, tensors = size_in_bytes(found.tensors.values()), len(files[TENSORS])
            entry = Entry(artifact, found.kind, self._free_name(row), self._maker(row), size, tensors)
            self.came.append(artifact)
            self.bytes += sum(map(len, files.values()))
            self._waiting[artifact] = (entry, files)
            if len(self._waiting) == TOGETHER or self.bytes - self._written > MOST_BYTES:
                self.write()

    def write(self) -> None:
        """Write what was brought and is not written yet: files first, then their entries."""
        if not self._waiting:
            return
        self._store.artifacts.place_all({artifact: files for artifact, (_, files) in self._waiting.items()})
        self._store.register_artifacts([entry for entry, _ in self._waiting.values()])
        self._waiting.clear()
        self._written = self.bytes

    def _maker(self, row: ForeignArtifact) -> str | None:
        """Return the cell that made an artifact, if its answer says so, too."""
        cell = self._cells.get(row.cell or "")
        return cell.id if cell is not None and row.id in cell.made else None

    def _read(self, artifact: str, depth: int) -> tuple[Artifact, dict[str, bytes]] | None:
        """Return an artifact and its files, once those that its card names are brought; nothing if one is lost."""
        folder = self._other.artifacts.folder(artifact)
        try:
            found, files = read_whole(folder)
            if found.id != artifact:
                raise Corrupt(f"{folder} is corrupt: it holds another artifact.")
            if depth > DEEPEST:
                raise Corrupt(f"{folder} cannot be right: it is needed by {DEEPEST} others, each by the next.")
        except StoreError as error:
            self.lost[artifact] = str(error)
            return None
        for needed in sorted(named_in(files[CARD].decode()) - {artifact}):
            self.bring(needed, depth + 1)
            if needed in self.lost:
                self.lost[artifact] = self.lost[needed]
                return None
        return found, files

    def _free_name(self, row: ForeignArtifact) -> str | None:
        """Return the name that an artifact has there, unless it has one here, another has that one here, or it is none.

        Names become those of folders.
        """
        here = self._ours.get(row.id)
        if row.name is None or (here is not None and here.name is not None):
            return None
        if not is_file_name(row.name) or is_prefix(row.name):  # which may be, or come to be, the beginning of an id
            self.misnamed.append(repr(row.name)[:SHOWN])
            return None
        if self._names.setdefault(row.name, row.id) != row.id:
            self.unnamed.append(row.name)
            return None
        return str(row.name)


def _entries(store: Store) -> dict[str, Row[Any]]:
    with store.database.read() as connection:
        return {row.id: row for row in connection.execute(select(table).order_by(table.c.created))}


def _foreign(other: Store) -> dict[str, ForeignArtifact]:
    """Return the entries of another store that can be right, by id."""
    found: dict[str, ForeignArtifact] = {}
    with other.database.read() as connection:
        for row in connection.execute(select(table).order_by(table.c.created)):
            try:
                found[row.id] = foreign_artifact(row._asdict())
            except Refused:
                continue  # what needs it is told that it lacks it
    return found
