"""Plans the timing of distillations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillproof.core.errors import BadInput
from stillproof.core.provenance import provenance
from stillproof.core.source import file_hash
from stillproof.run.cell import Cell
from stillproof.run.plan_distill import distilling
from stillproof.suites.requests import CostRequest

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

# What times a distillation, the file alone.
TIMING = ("stillproof.run.cost_cell", "stillproof.core.provenance", "stillproof.core.other_processes")


def plan_cost(planner: Planner, request: CostRequest) -> Cell:
    """Plan the timing of a distillation by its first steps; methods without steps are timed whole."""
    if request.steps < 1:
        raise BadInput(f"cost over {request.steps} steps is not possible: at least 1 must be timed.")
    asked = distilling(planner, request.of)
    steps = getattr(asked.method, "steps", None)
    timed = steps and min(request.steps, steps)
    spec = {**asked.spec, "stage": "cost", "timed": timed, "path": [*asked.spec["path"], *map(file_hash, TIMING)]}
    # Another machine takes another time, so it is another question.
    machine = provenance()
    spec["machine"] = {key: machine[key] for key in ("processor", "cores")} | {"device": planner.device}
    flops = asked.flops * timed / steps if timed else asked.flops
    return planner.cell("cost", spec, asked.where, asked.needs, flops, f"cost of {asked.label}", alone=True)
