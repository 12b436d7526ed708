"""From requests to cells: names are resolved, specs hashed, equal questions asked once, in the order of need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from stillproof.core.spec import Json, digest
from stillproof.run.cell import Cell
from stillproof.run.coverage_cell import plan_coverage
from stillproof.run.map_cell import plan_map
from stillproof.run.plan_cost import plan_cost
from stillproof.run.plan_distill import TooFewImages, plan_distill, plan_whitening
from stillproof.run.plan_train import plan_select, plan_train
from stillproof.run.resolve import Resolver
from stillproof.run.truth_cell import plan_truth
from stillproof.suites.requests import (
    CostRequest,
    CoverageRequest,
    DistillRequest,
    MapRequest,
    Request,
    Row,
    SelectRequest,
    TrainRequest,
    TruthRequest,
    WhitenRequest,
)

# How each kind of question becomes a cell; those that it needs are planned on the way.
PLANS: Mapping[type, Callable[[Planner, Any], Cell]] = {
    WhitenRequest: plan_whitening,
    DistillRequest: plan_distill,
    TrainRequest: plan_train,
    SelectRequest: plan_select,
    TruthRequest: plan_truth,
    CoverageRequest: plan_coverage,
    MapRequest: plan_map,
    CostRequest: plan_cost,
}


class Planner:
    """Turns requests into cells; a request that was seen before costs nothing."""

    def __init__(self, root: Path, device: str = "cpu") -> None:
        """Plan for the data sets below ``root``; ``device`` decides nothing but what is timed."""
        self.device = device
        self.cells: dict[str, Cell] = {}
        self.names = Resolver(root)
        self._known: dict[Request, Cell] = {}

    def rows(self, rows: Iterable[Row]) -> list[Json]:
        """Plan the rows of a suite; return them as they are stored, with the cell of each seed."""
        return [self._row(row) for row in rows]

    def _row(self, row: Row) -> Json:
        """Return a row with its cells; one that may be too large for its data set then has none, but the reason."""
        try:
            return {**row.keys, "cells": [self.plan(request).id for request in row.requests]}
        except TooFewImages as error:
            if not row.may_be_too_large:
                raise
            return {**row.keys, "cells": [], "reason": str(error)}

    def plan(self, request: Request) -> Cell:
        """Return the cell that answers a request."""
        if request not in self._known:
            self._known[request] = PLANS[type(request)](self, request)
        return self._known[request]

    def cell(
        self,
        stage: str,
        spec: Json,
        where: Json,
        needs: tuple[str, ...],
        flops: float,
        label: str,
        *,
        alone: bool = False,
    ) -> Cell:
        """Return the cell of a spec, as it was first asked for."""
        name = digest(spec)
        where = {**where, "flops": flops}
        return self.cells.setdefault(name, Cell(name, stage, spec, where, needs, flops, label, alone))
