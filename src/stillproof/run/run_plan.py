"""Works on a whole plan: what can share the machine first, and then, one after another, the cells that measure time."""

from __future__ import annotations

from collections.abc import Sequence

from stillproof.core.plugins import Plugin
from stillproof.run.cell import Cell
from stillproof.run.execute import OnChange, run_here
from stillproof.run.pool import run_pool
from stillproof.run.worker import FINISHED
from stillproof.run.world import Options
from stillproof.store.store import Store


def run_plan(
    store: Store, cells: Sequence[Cell], options: Options, workers: int, plugins: list[Plugin], on_change: OnChange
) -> None:
    """Finish a plan that was entered into the store, in ``workers`` processes as far as its cells allow it."""
    last = _last(cells)
    shared = [cell for cell in cells if cell.id not in last]
    states = store.results.statuses([cell.id for cell in shared])
    if any(state not in FINISHED for state in states.values()):
        if workers > 1:
            run_pool(store, shared, options, workers, plugins, on_change)
        else:
            run_here(store, shared, options, on_change)
    if last:  # given all cells, of which these are left: how those that they need ended is looked up among them
        run_here(store, cells, options, on_change)


def _last(cells: Sequence[Cell]) -> set[str]:
    """Return the cells that are alone, and those that need them."""
    found: set[str] = set()
    for cell in cells:  # in order of need
        if cell.alone or any(need in found for need in cell.needs):
            found.add(cell.id)
    return found
