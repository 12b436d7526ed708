"""What a suite will cost, before it starts: by section and method, here and on another machine, in time and bytes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stillproof.core.provenance import Meter
from stillproof.core.spec import Json
from stillproof.run.cell import Cell
from stillproof.run.cuts import Cut, cuts_of
from stillproof.run.estimate import Estimate, Here, estimate, left_of
from stillproof.run.parts import Costs, Part, parts_by
from stillproof.run.plan import Planner
from stillproof.run.rates import REACHED, Assumed
from stillproof.store.store import Store

DIVISIONS = ("by_section", "by_method", "by_section_and_method")
ROW_BYTES = 4000  # of a cell in the database


@dataclass(frozen=True, slots=True)
class Memory:
    """The cell that needs most.

    Args:
        label: Which it is.
        bytes: What one process takes with it, or the GPU's part of that.
        measured: Whether this store has measured a cell like it.
    """

    label: str
    bytes: float
    measured: bool


@dataclass(frozen=True, slots=True)
class AssumedTime:
    """Another machine, of which only its speed is known, and the time there."""

    flops_per_second: float
    reached: float  # the share of that speed that is counted with
    seconds: float


@dataclass(frozen=True, slots=True)
class Forecast:
    """All that can be said of a run before it starts.

    Args:
        estimate: The whole.
        workers: Processes.
        measured: The share of the time that rests on what this store has measured.
        assumed: Another machine, if one is assumed.
        by_section: The cost of each section, if there are any.
        by_method: The cost of each method.
        by_section_and_method: The cost of each method in each section.
        memory: What a process needs at its peak, if there is anything to compute.
        disk_bytes: What the answers take in the store.
        cuts: The settings that would save most.
        left_out: What is left out, and why.
    """

    estimate: Estimate
    workers: int
    measured: float
    assumed: AssumedTime | None
    by_section: Sequence[Part]
    by_method: Sequence[Part]
    by_section_and_method: Sequence[Part]
    memory: Memory | None
    disk_bytes: float
    cuts: Sequence[Cut]
    left_out: Sequence[str]

    def as_dict(self) -> Json:
        """Return the forecast as JSON values."""
        divided = {key: [part.as_dict() for part in getattr(self, key)] for key in DIVISIONS}
        about = {
            "workers": self.workers,
            "measured": self.measured,
            "assumed": self.assumed and dataclasses.asdict(self.assumed),
            "memory": self.memory and dataclasses.asdict(self.memory),
            "disk_bytes": self.disk_bytes,
            "cuts": [dataclasses.asdict(cut) for cut in self.cuts],
            "left_out": list(self.left_out),
        }
        return self.estimate.as_dict() | about | divided


def forecast(
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
        by_section=parts_by(["section"], rows, cells, costs) if named else [],
        by_method=parts_by(["method"], rows, cells, costs),
        by_section_and_method=parts_by(["section", "method"], rows, cells, costs) if named else [],
        memory=_peak(left, machine, on_gpu=planner.device != "cpu"),
        disk_bytes=sum(cell.disk + ROW_BYTES for cell in left),
        cuts=[] if config is None else cuts_of(planner, suite, config, cost),
        left_out=left_out,
    )


def _peak(left: Iterable[Cell], machine: Here, *, on_gpu: bool) -> Memory | None:
    """Return the cell that needs most memory, beside what a process like this one has taken already."""
    with Meter() as idle:
        pass
    process = 0 if on_gpu else idle.peak_bytes
    known = [(cell, machine.rates.peak_bytes(cell)) for cell in left if cell.flops]
    peaks = [Memory(cell.label, peak or process + cell.memory, peak is not None) for cell, peak in known]
    return max(peaks, key=lambda peak: peak.bytes, default=None)
