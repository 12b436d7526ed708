"""The cost of a plan, before it starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stillproof.core.spec import Json
from stillproof.report.merged import merged_cells
from stillproof.run.cell import Cell
from stillproof.run.process_count import cores
from stillproof.run.rates import ThisMachine, this_machine
from stillproof.store.store import Store

ANSWERED = ("done", "unsupported")
NEWEST = 2000  # finished cells that are looked at


@dataclass(frozen=True, slots=True)
class Estimate:
    """How much of a plan is answered already, and how long the rest may take."""

    cells: int
    cached: int
    by_stage: dict[str, int]  # cells left to compute
    seconds: float
    flops: float
    calibrated: bool  # whether a rate comes from this store's own records

    def as_dict(self) -> Json:
        """Return the estimate as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True)
class Here:
    """This machine, and how a plan runs on it.

    Args:
        rates: What is known of its speed.
        workers: Processes.
        threads: Threads of a process that works alone; each of several has one.
    """

    rates: ThisMachine
    workers: int
    threads: int

    def seconds(self, cell: Cell) -> float:
        """Return a cell's share of the time that all of them take, which work side by side as far as they may."""
        alone = cell.alone or self.workers == 1
        return self.rates.seconds(cell) / (self.threads if alone else min(self.workers, cores()))


def here(store: Store, device: str, workers: int) -> Here:
    """Return this machine as the newest finished cells of a store show it."""
    import torch

    threads = torch.get_num_threads() if device == "cpu" else 1
    return Here(this_machine(store.results.newest_done(NEWEST), device), workers, threads)


def left_of(store: Store, cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells of a plan that have no answer yet."""
    status = store.results.statuses([cell.id for cell in cells])
    return [cell for cell in cells if status.get(cell.id) not in ANSWERED]


def estimate(store: Store, cells: Sequence[Cell], machine: Here, *, own: bool = False) -> Estimate:
    """Estimate the rest of a plan from its work and from the speed of finished cells like it.

    With ``own``, answers that were merged from other stores, and those that rest on them, are to be computed, too.
    """
    without = {cell.id for cell in left_of(store, cells)}
    without |= merged_cells(store, [cell.id for cell in cells]).keys() if own else set()
    left = [cell for cell in cells if cell.id in without]
    stages: dict[str, int] = {}
    for cell in left:
        stages[cell.stage] = stages.get(cell.stage, 0) + 1
    return Estimate(
        cells=len(cells),
        cached=len(cells) - len(left),
        by_stage=stages,
        seconds=sum(machine.seconds(cell) for cell in left),
        flops=sum(cell.flops for cell in left),
        calibrated=any(cell.flops and machine.rates.knows(cell) for cell in left),
    )
