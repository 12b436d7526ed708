"""From requests to cells: names are resolved, specs hashed, equal questions asked once, in the order of need."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from stillproof.core.components import stages
from stillproof.core.errors import BadInput, DataMissing
from stillproof.core.spec import Json, canonical_json, digest
from stillproof.nets.home_network import HOME, HOME_BN
from stillproof.run.cell import SPEC_FORMAT, Cell, Images, Planned
from stillproof.run.resolve import Resolver
from stillproof.run.stage import Stage
from stillproof.store.records import Record
from stillproof.suites.requests import Request, Row

# What the planner itself puts into a spec: the stage, and what names its code.
RESERVED = ("stage", "format", "version", "generations", "edited", "own")
MOST_CELLS = 200_000  # planning as many takes about a gigabyte; all of a paper's tables are some ten thousand


class TooFewImages(BadInput):
    """A class of a data set has fewer images than were asked for."""


class Planner:
    """Turns requests into cells; a request that was seen before costs nothing."""

    def __init__(
        self, root: Path, device: str = "cpu", record: Callable[[str], Record | None] = lambda _: None
    ) -> None:
        """Plan for the data sets below ``root``.

        Args:
            root: Folder of the data sets.
            device: Matters only for what is timed.
            record: Tells what a store has of a cell, for questions that depend on the answers to others.
        """
        self.device = device
        self.record = record
        self.cells: dict[str, Cell] = {}
        self.names = Resolver(root)
        self._known: dict[Request, Cell] = {}
        self._asked: dict[Request, Stage] = {}
        self.left_out: list[str] = []
        self._reasons: dict[Request, str] = {}  # why rows were left out, nothing for those that were not
        self._code = functools.cache(stages.code)

    def rows(self, rows: Iterable[Row]) -> list[Json]:
        """Plan the rows of a suite; return them as they are stored, with the cell of each seed.

        An existing set has one size, so that rows of several sizes may be the same one. Rows that need data
        that are not there are left out, if they may be; ``left_out`` then says so.
        """
        wanted = list(rows)
        absent = {request: reason for request in _conditions(wanted) if (reason := self._absent(request))}
        self.left_out = [_left_out(wanted, request, reason) for request, reason in absent.items()]
        planned: list[Json] = []
        seen: set[str] = set()
        for row in (self._row(row) for row in wanted if row.only_with not in absent):
            written = canonical_json(row) if "set" in row else ""
            if written not in seen:
                planned.append(row)
            seen |= {written} if written else set()
        return planned

    def _absent(self, request: Request) -> str:
        """Return why the data for a request are not there; nothing, if they are."""
        if request not in self._reasons:
            try:
                self.plan(request)
                self._reasons[request] = ""
            except DataMissing as error:
                self._reasons[request] = str(error)
        return self._reasons[request]

    def _row(self, row: Row) -> Json:
        """Return a row with its cells; one that may be too large for its data set, and is, has a reason instead."""
        homes = {key: value for key, value in row.keys.items() if value in (HOME, HOME_BN)}
        keys = {**row.keys, **{key: self._named(value, row.keys) for key, value in homes.items()}}
        if row.reason:
            return {**keys, "cells": [], "reason": row.reason}
        try:
            return {**keys, "cells": [self.plan(request).id for request in row.requests]}
        except TooFewImages as error:
            if not row.may_be_too_large:
                raise
            return {**keys, "cells": [], "reason": str(error)}

    def _named(self, home: str, keys: Mapping[str, Any]) -> str:
        """Return what the home network of a row's data set is called."""
        return self.names.network_name(home, self.names.data(keys["dataset"], "test").info)

    def plan(self, request: Request) -> Cell:
        """Return the cell that answers a request; those that it needs are planned on the way."""
        if request not in self._known:
            self._known[request] = self._cell(request.stage, self.stage(request).plan(self))
        return self._known[request]

    def ask(self, stage: str, **params: Any) -> Cell:
        """Return the cell that answers a question of a stage."""
        return self.plan(Request(stage, **params))

    def images(self, request: Request) -> Images:
        """Return the images that a request gives, for a network to be trained on."""
        found = self.stage(request).images(self)
        if found is not None:
            return found
        cell = self.plan(request)
        if cell.images is None:
            raise BadInput(f"{cell.label} is no set of images that a network could be trained on.")
        if "dataset" not in cell.where:
            raise BadInput(f"stage {cell.stage!r} makes images without saying of which data set, in where['dataset'].")
        return Images({"cell": cell.id}, cell.images, cell.where["dataset"], cell.label, (cell.id,))

    def stage(self, request: Request) -> Stage:
        """Return what is asked, with its names and values checked."""
        if request not in self._asked:
            self._asked[request] = stages.build(request.stage, request.params)
        return self._asked[request]

    def _cell(self, stage: str, planned: Planned) -> Cell:
        """Return the cell of a question, as it was first asked for."""
        for key in planned.spec:
            if key in RESERVED:
                raise BadInput(f"stage {stage!r} has {key!r} in its spec, which the planner needs for itself.")
        spec = {"stage": stage, "format": SPEC_FORMAT, **self._code(stage), **planned.spec}
        try:
            name = digest(spec)
        except (TypeError, ValueError) as error:
            raise BadInput(f"stage {stage!r} has a spec that is not plain JSON: {error}.") from error
        where = {**planned.where, "flops": planned.flops, "label": planned.label}
        if name not in self.cells:
            if len(self.cells) == MOST_CELLS:
                raise BadInput(
                    f"this asks for more than {MOST_CELLS:,} cells, the most of a plan: lower --seeds, or split it."
                )
            rest = (planned.needs, planned.flops, planned.label, planned.images, planned.alone)
            size = (planned.memory, planned.disk)
            self.cells[name] = Cell(name, stage, spec, where, *rest, *size, open=planned.open)
        return self.cells[name]

    def ready(self) -> list[Cell]:
        """Return the cells that can be computed by now: neither open themselves nor in need of such."""
        waiting: set[str] = set()
        for cell in self.cells.values():  # in order of need
            if cell.open or any(need in waiting for need in cell.needs):
                waiting.add(cell.id)
        return [cell for cell in self.cells.values() if cell.id not in waiting]


def _conditions(rows: Iterable[Row]) -> Iterable[Request]:
    """Return the requests without whose data some rows make no sense, each once."""
    return dict.fromkeys(row.only_with for row in rows if row.only_with is not None)


def _left_out(rows: Iterable[Row], request: Request, reason: str) -> str:
    """Return the sentence about the rows that need a request whose data are not there."""
    lost = [row.keys.get("section", "") for row in rows if row.only_with == request]
    sections = " and ".join(filter(None, dict.fromkeys(lost)))
    return f"{len(lost)} rows{f' of {sections}' if sections else ''} are left out: {reason}"
