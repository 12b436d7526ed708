"""Puts a plan into the store."""

from __future__ import annotations

from collections.abc import Sequence

from stillproof.run.cell import Cell
from stillproof.run.kinds import kind_of_work
from stillproof.run.plan import Planner
from stillproof.store.records import NewCell
from stillproof.store.store import Store


def enter(
    store: Store, cells: Sequence[Cell], *, plan: int | None = None, again: bool = True, is_open: bool = False
) -> int:
    """Put cells into the store and into a plan, a new one without ``plan``; return its number.

    Args:
        store: The store.
        cells: The cells, in order of need.
        plan: The plan.
        again: Whether those that failed before go back in line.
        is_open: Whether more will be known to do, once these have ended.
    """
    store.results.put([_new(cell) for cell in cells])
    ids = [cell.id for cell in cells]
    if again:
        store.claims.reset_failed(ids)
    number = store.plans.begin() if plan is None else plan
    store.plans.add(number, ids, _last(cells), is_open=is_open)
    return number


def enter_round(store: Store, planner: Planner, plan: int, *, again: bool = True) -> bool:
    """Put into a plan what can be computed of it by now; say whether there will be another round.

    Answers whose artifacts are lost are open again.
    """
    cells = planner.ready()
    is_open = len(cells) < len(planner.cells)
    store.reopen_damaged([cell.id for cell in cells])
    enter(store, cells, plan=plan, again=again, is_open=is_open)
    return is_open


def _new(cell: Cell) -> NewCell:
    kind = kind_of_work(cell.stage, cell.where)
    machine = cell.spec.get("machine") if cell.alone else None
    where = {**cell.where, "label": cell.label}
    return NewCell(cell.id, cell.stage, cell.spec, where, cell.needs, kind, cell.alone, machine)


def _last(cells: Sequence[Cell]) -> set[str]:
    """Return the cells that are alone, and those that need them."""
    found: set[str] = set()
    for cell in cells:  # in order of need
        if cell.alone or any(need in found for need in cell.needs):
            found.add(cell.id)
    return found
