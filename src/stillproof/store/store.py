"""The store: results, claims and artifacts behind one URL."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from stillproof.core.errors import StillproofError
from stillproof.core.spec import Json
from stillproof.core.tensor_size import size_in_bytes
from stillproof.store.artifacts import VOLATILE, Artifacts
from stillproof.store.bundles import Bundles
from stillproof.store.catalogue import Catalogue, Entry
from stillproof.store.claims import Claims
from stillproof.store.damage import damaged, refuse_unreached
from stillproof.store.database import Database
from stillproof.store.discard import discard
from stillproof.store.examine import blame_damage
from stillproof.store.location import artifacts_root, locate
from stillproof.store.migrate import ensure_schema
from stillproof.store.plans import Plans
from stillproof.store.plugin_shelf import PluginShelf
from stillproof.store.pools import Pools
from stillproof.store.results import Results
from stillproof.store.workers import Workers

if TYPE_CHECKING:
    from torch import Tensor

log = logging.getLogger("stillproof")


class Store:
    """An open store. It stays in its process: hand ``url`` and ``artifacts.root`` to a worker, which opens its own.

    ``url`` may hold a password and is for workers alone; ``shown`` is for people.
    """

    def __init__(self, url: str, database: Database, root: Path) -> None:
        """Use ``open_store`` instead."""
        self.url = url
        self.results = Results(database)
        self.claims = Claims(database)
        self.artifacts = Artifacts(root)
        self.plans = Plans(database)
        self.plugins = PluginShelf(database)
        self.workers = Workers(database)
        self.pools = Pools(database)
        self.bundles = Bundles(database)
        self._catalogue = Catalogue(database)
        self.database = database

    @property
    def shown(self) -> str:
        """Return the place of this store for people to read: never with a password, which ``url`` may hold."""
        return self.database.shown

    def keep(
        self,
        kind: str,
        tensors: Mapping[str, Tensor],
        card: Json,
        *,
        name: str | None = None,
        cell: str | None = None,
        extra: Mapping[str, bytes] | None = None,
        volatile: Collection[str] = VOLATILE,
    ) -> str:
        """Write an artifact, enter it into the catalogue and return its id.

        Args:
            kind: What it is, such as ``distilled`` or ``model``.
            tensors: Its tensors by name.
            card: What is known of it, as JSON values.
            name: What people call it; the newest to ask for a name has it.
            cell: The cell that made it.
            extra: Further files by name, for people to look at.
            volatile: Keys of the card that do not name it.
        """
        artifact = self.artifacts.write(kind, tensors, card, volatile, extra)
        self.register_artifact(artifact, kind, name, cell, size_in_bytes(tensors.values()))
        return artifact

    def keep_folder(self, folder: Path) -> str:
        """Check the artifact in a folder that came from elsewhere, copy it into this store and return its id."""
        artifact = self.artifacts.copy_in(folder)
        found = self.artifacts.read(artifact)
        self.register_artifact(artifact, found.kind, None, None, size_in_bytes(found.tensors.values()))
        return artifact

    def register_artifact(self, artifact: str, kind: str, name: str | None, cell: str | None, size: int) -> None:
        """Enter an artifact that was written, with its size in bytes; ``keep`` does both."""
        self.register_artifacts([Entry(artifact, kind, name, cell, size, self.artifacts.tensors_bytes(artifact))])

    def register_artifacts(self, entries: Sequence[Entry]) -> None:
        """Enter several at once."""
        self._catalogue.register(entries)

    def similar_artifacts(self, text: str, kind: str | None = None) -> list[str]:
        """Return the names of artifacts that come close to ``text``."""
        return self._catalogue.similar(text, kind)

    def resolve_artifact(self, text: str, kind: str | None = None) -> str:
        """Return the id of the artifact that ``text`` means: an id, a name, or the beginning of one.

        Raises:
            BadInput: There is none, there are several, or it is of another kind.
        """
        return self._catalogue.resolve(text, kind)

    def names_of(self, artifacts: Sequence[str], kind: str) -> dict[str, str]:
        """Return the names of the artifacts of one kind among these; an artifact without a name has an empty one."""
        return self._catalogue.names_of(artifacts, kind)

    def snapshots_of(self, artifact: str) -> dict[int, str]:
        """Return the sets that were kept on the way to a distilled set, by step; they are named after it."""
        return self._catalogue.named_after(artifact)

    def cell_of(self, artifact: str) -> str | None:
        """Return the cell that made an artifact, if it was made in this store."""
        return self._catalogue.cell_of(artifact)

    def makers_of(self, artifacts: Sequence[str]) -> dict[str, str]:
        """Return the cells that made those of the artifacts that were made in this store, by artifact."""
        return self._catalogue.makers_of(artifacts)

    def reopen_damaged(self, cell_ids: Sequence[str]) -> list[str]:
        """Let those cells that are done, but stand on artifacts that are lost or cut short, be computed again.

        Nothing is read but sizes; content that changed without changing its size shows when it is read.

        Returns:
            The ids of the cells that are pending now.

        Raises:
            StoreError: The folder of all artifacts is not there.
        """
        named = self.results.artifacts_of(cell_ids)
        expected = self._catalogue.tensors_bytes([artifact for ids in named.values() for artifact in ids])
        found = damaged(named, expected, self.artifacts)
        for cell, artifact in found.items():
            log.warning("artifact %s of cell %s is lost or damaged: the cell is open again.", artifact[:12], cell[:12])
        return self.claims.reopen(list(found))

    def reopen_maker(self, artifact: str) -> str | None:
        """Let the cell that made an artifact be computed again, after the artifact was read and found corrupt.

        Returns:
            The id of that cell, or nothing if no cell of this store made the artifact. If it was made
            again in the meantime, the cell stays as it is.
        """
        cell = self.cell_of(artifact)
        if cell is not None and not self.artifacts.is_sound(artifact):
            log.warning("artifact %s is corrupt: cell %s, which made it, is open again.", artifact[:12], cell[:12])
            self.claims.reopen([cell])
        return cell

    @property
    def checkpoints(self) -> Path:
        """Return the folder of all checkpoints, whether or not it is there."""
        return self.artifacts.root / ".scratch"

    def scratch(self, cell: str) -> Path:
        """Return the folder for the checkpoints of a cell, whether or not it is there."""
        return self.checkpoints / cell[:16]

    def drop_scratch(self, cell: str) -> None:
        """Remove the checkpoints of a cell, whoever wrote them.

        The folder is moved away first: a worker that has lost the cell, and does not know, may be writing to it.
        """
        discard([self.scratch(cell)], self.artifacts.root)

    def close(self) -> None:
        """Close all connections."""
        self.database.close()

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store; an error that nobody foresaw may have come of its damage."""
        try:
            if isinstance(error, Exception) and not isinstance(error, StillproofError):
                blame_damage(self.database, error)
        finally:
            self.close()


def open_store(url: str | None = None, *, create: bool = True, artifacts: Path | None = None) -> Store:
    """Open a store, bringing its schema to this version's.

    Args:
        url: A URL or the path of a SQLite file; without one ``STILLPROOF_STORE``, else ``sqlite:///stillproof.db``.
        create: Make the store if it is not there.
        artifacts: The folder of its artifacts; without one ``STILLPROOF_ARTIFACTS``, else beside the SQLite file.
    """
    place = locate(url)
    root = artifacts_root(place) if artifacts is None else artifacts.absolute()
    database = Database(place, create=create)
    try:
        ensure_schema(database)
        if not database.is_sqlite:
            refuse_unreached(database, root)
    except BaseException:
        database.close()
        raise
    return Store(place.render_as_string(hide_password=False), database, root)
