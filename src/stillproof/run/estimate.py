"""What a plan will cost, before it starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stillproof.core.spec import Json
from stillproof.run.cell import Cell
from stillproof.store.store import Store

FLOPS_PER_SECOND = 4e10  # two AVX2 cores, eager; replaced by this machine's own rate once the store knows it
CELL_SECONDS = 0.2  # reading, writing and booking
MEASURABLE_FLOPS = 1e10  # smaller cells say nothing of the rate


@dataclass(frozen=True, slots=True)
class Estimate:
    """How much of a plan is answered already, and how long the rest may take."""

    cells: int
    cached: int
    by_stage: dict[str, int]  # cells left to compute
    seconds: float
    flops: float
    calibrated: bool  # whether the rate comes from this store's own records

    def as_dict(self) -> Json:
        """Return the estimate as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


def estimate(store: Store, cells: Sequence[Cell], workers: int) -> Estimate:
    """Estimate the rest of a plan from its work and from the speed of its finished cells."""
    records = store.results.get_many([cell.id for cell in cells])
    done = [record for record in records.values() if record.status == "done"]
    known = {record.id for record in done}
    left = [cell for cell in cells if cell.id not in known]
    measured = [r for r in done if r.where["flops"] > MEASURABLE_FLOPS and r.seconds]
    rate = FLOPS_PER_SECOND
    if measured:
        rate = sum(r.where["flops"] for r in measured) / sum(r.seconds or 0.0 for r in measured)
    elif workers > 1:
        rate /= workers
    flops = sum(cell.flops for cell in left)
    stages: dict[str, int] = {}
    for cell in left:
        stages[cell.stage] = stages.get(cell.stage, 0) + 1
    seconds = (flops / rate + CELL_SECONDS * len(left)) / workers
    return Estimate(len(cells), len(done), stages, seconds, flops, bool(measured))
