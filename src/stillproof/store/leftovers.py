"""What was begun, and nothing needs any more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from stillproof.store.links import ANSWERED, Links, reached, read_links
from stillproof.store.plans import planned_cells
from stillproof.store.records import Run
from stillproof.store.store import Store


@dataclass(frozen=True, slots=True)
class Leftovers:
    """Cells without an answer that no run needs, and folders of checkpoints that no cell goes on from."""

    cells: list[Links]
    checkpoints: list[Path]


def leftovers(store: Store) -> Leftovers:
    """Return what is left over; what a living process computes is not."""
    with store.database.read() as connection:
        links, planned = read_links(connection), planned_cells(connection)
    return Leftovers(unfinished(links, store.results.runs(), planned), stale_checkpoints(store, links))


def unfinished(links: Mapping[str, Links], runs: Iterable[Run], planned: Iterable[str]) -> list[Links]:
    """Return the cells without an answer that neither runs, plans nor answers need, and that nobody computes."""
    answered = [cell.id for cell in links.values() if cell.status in ANSWERED]
    needed = reached(links, [*answered, *planned, *(cell for run in runs for cell in run.cells)])
    return [cell for cell in links.values() if cell.id not in needed and cell.owner is None]


def stale_checkpoints(store: Store, links: Mapping[str, Links]) -> list[Path]:
    """Return the folders of checkpoints of cells that are not there, or have their answer."""
    going_on = {store.scratch(cell.id) for cell in links.values() if cell.status not in ANSWERED}
    found = store.checkpoints.iterdir() if store.checkpoints.is_dir() else ()
    return sorted(path for path in found if path not in going_on)
