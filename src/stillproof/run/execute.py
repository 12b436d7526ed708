"""Puts a plan into the store and finishes it: what can share the machine first, then the cells that measure time."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from stillproof.run.cell import Cell
from stillproof.run.executor import Executor, Work
from stillproof.run.executors.process_pool import ProcessPool
from stillproof.run.executors.this_process import run_in_this_process
from stillproof.run.worker import FINISHED
from stillproof.store.records import NewCell
from stillproof.store.store import Store


def enter(store: Store, cells: Sequence[Cell], *, again: bool = True) -> dict[str, str]:
    """Put the plan into the store; return the status that each cell had before.

    Cells that failed before go back in line, if they are to be tried ``again``.
    """
    before = store.results.statuses([cell.id for cell in cells])
    store.results.put([NewCell(cell.id, cell.stage, cell.spec, cell.where, cell.needs) for cell in cells])
    if again:
        store.claims.reset_failed([cell.id for cell in cells])
    return before


def execute(work: Work, workers: int) -> None:
    """Finish a plan that was entered into the store, in ``workers`` processes as far as its cells allow it."""
    last = _last(work.cells)
    shared = [cell for cell in work.cells if cell.id not in last]
    states = work.store.results.statuses([cell.id for cell in shared])
    if any(state not in FINISHED for state in states.values()):
        executor: Executor = ProcessPool(workers) if workers > 1 else run_in_this_process
        executor(dataclasses.replace(work, cells=shared))
    if last and not work.must_stop():
        run_in_this_process(work)  # with all cells: these look up how those that they need ended


def _last(cells: Sequence[Cell]) -> set[str]:
    """Return the cells that are alone, and those that need them."""
    found: set[str] = set()
    for cell in cells:  # in order of need
        if cell.alone or any(need in found for need in cell.needs):
            found.add(cell.id)
    return found
