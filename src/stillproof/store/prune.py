"""Removes from a store what nothing refers to; an answer is never removed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import delete, select

from stillproof.core.errors import StoreError
from stillproof.store.artifacts import CORRUPT
from stillproof.store.atomic import PARTIAL, STALE_SECONDS
from stillproof.store.discard import bytes_of, discard
from stillproof.store.error_sentences import disk_trouble
from stillproof.store.leftovers import stale_checkpoints, unfinished
from stillproof.store.links import Links, in_use, read_links
from stillproof.store.plans import forget_calls, planned_cells
from stillproof.store.runs import read_runs
from stillproof.store.schema import artifacts, runs
from stillproof.store.store import Store
from stillproof.store.unused import artifacts_of, forget, owns_its_files, superseded, unneeded

# A folder that is not in the catalogue yet may be one that an import is about to enter.
ENTERED_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Pruned:
    """What went, or would go.

    Args:
        cells: Cells without an answer that nothing needs.
        artifacts: Artifacts that nothing refers to.
        folders: Folders that no entry of the catalogue belongs to.
        checkpoints: Folders of checkpoints that no cell goes on from.
        bytes: Size of the files.
        files_stay: Whether the files stay, since they may be those of other stores, too.
    """

    cells: list[Links]
    artifacts: list[str]
    folders: list[Path]
    checkpoints: list[Path]
    bytes: int
    files_stay: bool


def prune(store: Store, *, dry_run: bool = False) -> Pruned:
    """Remove what nothing refers to, from the tables first, then the files; with ``dry_run`` only say what that is.

    Raises:
        StoreError: A cell of the store is being computed; nothing was removed.
    """
    with store.database.read() if dry_run else store.database.write() as connection:
        links = read_links(connection)
        busy = in_use(links, links)
        if busy is not None and not dry_run:
            raise StoreError(
                f"store {store.shown} is in use ({busy.computed()}): stop that command or wait for it, then prune; "
                "nothing was removed."
            )
        every = read_runs(connection)
        suites = [run for run in every if run.verb == "run"]
        gone = {cell.id: cell for cell in unfinished(links, suites, planned_cells(connection))}
        left = {cell: found for cell, found in links.items() if cell not in gone}
        candidates = artifacts_of(connection, gone) | superseded(connection, left)
        unused = unneeded(connection, candidates, left, store.artifacts)
        known = set(connection.execute(select(artifacts.c.id)).scalars()) - set(unused)
        if not dry_run:
            forget(connection, list(gone), unused)
            forget_calls(connection)
            calls = [run.id for run in every if run.verb != "run" and not any(cell in left for cell in run.cells)]
            connection.execute(delete(runs).where(runs.c.id.in_(calls)))
    mine = owns_its_files(store)
    folders = _strangers(store, known) if mine else []
    checkpoints = stale_checkpoints(store, left) if mine else []
    files = [*map(store.artifacts.folder, unused), *folders, *checkpoints] if mine else []
    freed = sum(map(bytes_of, files)) if dry_run else discard(files, store.artifacts.root)
    return Pruned(list(gone.values()), unused, folders, checkpoints, freed, not mine)


def _strangers(store: Store, known: set[str]) -> list[Path]:
    """Return folders of artifacts that are not in the catalogue, and what writers and damage left behind."""
    root = store.artifacts.root
    with disk_trouble(root):
        found = [path for path in root.glob("??/*/") if path.name not in known and _older(path, ENTERED_SECONDS)]
        found += [path for path in root.glob(f"{PARTIAL}*/") if _older(path, STALE_SECONDS)]
        return sorted([*found, *root.glob(f"{CORRUPT}/*/")])


def _older(path: Path, seconds: float) -> bool:
    return path.stat().st_mtime < time.time() - seconds
