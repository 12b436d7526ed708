"""Finds out what a suite will cost, before it starts: by section and method, here and on another machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stillproof.core.provenance import Meter
from stillproof.core.spec import Json
from stillproof.run.cell import Cell
from stillproof.run.cost_cuts import cuts_of
from stillproof.run.cost_parts import Costs, cost_parts_by
from stillproof.run.estimate import Here, estimate, left_of
from stillproof.run.forecast import AssumedTime, Forecast, Memory
from stillproof.run.plan import Planner
from stillproof.run.rates import REACHED, Assumed
from stillproof.run.sharing import sharing_of
from stillproof.store.store import Store

ROW_BYTES = 4000  # of a cell in the database


def forecast_suite(
    store: Store,
    planner: Planner,
    rows: Sequence[Json],
    suite: str,
    config: Json | None,
    machine: Here,
    speed: float | None,
) -> Forecast:
    """Say what the rest of a suite's plan will cost here and, if the speed of another machine is given, there.

    Without a configuration, as for a part of a suite, it is not said which settings would save.
    """
    cells, left_out = dict(planner.cells), planner.left_out
    left = left_of(store, list(cells.values()))
    total = estimate(store, list(cells.values()), machine)
    other = Assumed(speed) if speed else None
    there = {cell.id: other.seconds(cell) for cell in left} if other else None
    costs = Costs({cell.id: machine.seconds(cell) for cell in left}, there)
    known = sum(costs.here[cell.id] for cell in left if machine.rates.knows(cell))
    named = any(row.get("section") for row in rows)
    answered = cells.keys() - costs.here.keys()

    def cost(cell: Cell) -> float:
        return 0.0 if cell.id in answered else machine.seconds(cell)

    return Forecast(
        estimate=total,
        workers=machine.workers,
        measured=known / total.seconds if total.seconds else 0.0,
        assumed=AssumedTime(speed, REACHED, sum(there.values())) if speed and there is not None else None,
        by_section=cost_parts_by(["section"], rows, cells, costs) if named else [],
        by_method=cost_parts_by(["method"], rows, cells, costs),
        by_section_and_method=cost_parts_by(["section", "method"], rows, cells, costs) if named else [],
        memory=_peak(left, machine, on_gpu=planner.device != "cpu"),
        disk_bytes=sum(cell.disk + ROW_BYTES for cell in left),
        cuts=[] if config is None else cuts_of(planner, suite, config, cost),
        left_out=left_out,
        sharing=sharing_of(rows, cells, lambda ids: {cell: machine.seconds(cells[cell]) for cell in ids}),
    )


def _peak(left: Iterable[Cell], machine: Here, *, on_gpu: bool) -> Memory | None:
    """Return the cell that needs most memory, beside what a process like this one has taken already."""
    with Meter() as idle:
        pass
    process = 0 if on_gpu else idle.peak_bytes
    known = [(cell, machine.rates.peak_bytes(cell)) for cell in left if cell.flops]
    peaks = [Memory(cell.label, peak or process + cell.memory, peak is not None) for cell, peak in known]
    return max(peaks, key=lambda peak: peak.bytes, default=None)
