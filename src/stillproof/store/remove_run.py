"""Removes a run, with the cells and artifacts that nothing else uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import delete

from stillproof.core.errors import StoreError
from stillproof.store.discard import discard
from stillproof.store.links import Links, in_use, reached, read_links
from stillproof.store.records import Run
from stillproof.store.runs import read_runs
from stillproof.store.schema import runs as table
from stillproof.store.store import Store
from stillproof.store.unused import artifacts_of, forget, owns_its_files, unneeded


@dataclass(frozen=True, slots=True)
class Removed:
    """What went with a run, and what did not.

    Args:
        cells: Cells that went.
        artifacts: Artifacts that went.
        bytes: Size of the files that went.
        stayed: How many of its cells each other run or single call uses: these stay.
        used_otherwise: How many more stay, because cells that no run asked for read them.
        files_stay: Whether the files stay, since they may be those of other stores, too.
    """

    cells: list[str]
    artifacts: list[str]
    bytes: int
    stayed: list[tuple[Run, int]]
    used_otherwise: int
    files_stay: bool


def remove_run(store: Store, run: Run) -> Removed:
    """Remove a run, or a single call, and what nothing else uses: from the tables first, then the files.

    Raises:
        StoreError: One of its cells is being computed; nothing was removed.
    """
    with store.database.write() as connection:
        links = read_links(connection)
        own = reached(links, run.cells)
        busy = in_use(links, own)
        if busy is not None:
            raise StoreError(
                f"{run.verb} {run.id} is being computed ({busy.computed()}): stop that command or wait for it, then "
                "remove it; nothing was removed."
            )
        others = [other for other in read_runs(connection) if other.id != run.id]
        users = _users(links, own, others)
        asked = set().union(*users.values())
        followers = _followers(links, own, others)
        used = asked | (own & reached(links, links.keys() - own - followers))
        follow = {cell for cell in followers if reached(links, [cell]) & (own - used)}
        gone = {cell: links[cell] for cell in sorted(own - used | follow)}
        left = {cell: found for cell, found in links.items() if cell not in gone}
        unused = unneeded(connection, artifacts_of(connection, gone), left, store.artifacts)
        forget(connection, list(gone), unused)
        connection.execute(delete(table).where(table.c.id == run.id))
    mine = owns_its_files(store)
    folders = [*map(store.artifacts.folder, unused), *map(store.scratch, gone)] if mine else []
    freed = discard(folders, store.artifacts.root)
    stayed = [(other, len(users[other.id])) for other in others if users[other.id]]
    return Removed(list(gone), unused, freed, stayed, len(used - asked), not mine)


def _followers(links: Mapping[str, Links], own: set[str], others: Iterable[Run]) -> set[str]:
    """Return what was only derived from other answers, such as a comparison, and what no other run asks for."""
    wanted = reached(links, [cell for other in others for cell in other.cells])
    return {cell.id for cell in links.values() if cell.derived} - own - wanted


def _users(links: Mapping[str, Links], own: set[str], others: Iterable[Run]) -> dict[int, set[str]]:
    """Return those of a run's own cells that each other run needs, by its number."""
    return {other.id: own & reached(links, other.cells) for other in others}
