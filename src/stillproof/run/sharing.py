"""How much suites that are asked together share: cells that several of them need are computed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from stillproof.core.amounts import duration
from stillproof.core.spec import Json
from stillproof.report.section import BETWEEN
from stillproof.run.cell import Cell
from stillproof.run.cost_cuts import closure


@dataclass(frozen=True, slots=True)
class Sharing:
    """What several suites need, each alone and together.

    Args:
        cells: How many cells each suite needs.
        together: How many all of them need.
        alone_seconds: The time of their cells if each suite computed its own.
        seconds: The time of the cells of all of them.
    """

    cells: Mapping[str, int]
    together: int
    alone_seconds: float
    seconds: float

    def sentence(self) -> str:
        """Say what coincides, and what that saves."""
        asked = ", ".join(f"{suite} {count:,}" for suite, count in self.cells.items())
        alone = sum(self.cells.values())
        saved = f"which saves {duration(self.alone_seconds - self.seconds)} of {duration(self.alone_seconds)}"
        return f"cells by suite: {asked}; {alone - self.together:,} of {alone:,} coincide, {saved} of computing"

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        times = {"alone_seconds": self.alone_seconds, "seconds": self.seconds}
        return {"cells": dict(self.cells), "together": self.together, **times}


def sharing_of(
    rows: Sequence[Json], cells: Mapping[str, Cell], seconds_of: Callable[[Sequence[str]], Mapping[str, float]]
) -> Sharing | None:
    """Return what the suites of a run share; nothing if it asks only one.

    Args:
        rows: The rows of the run, whose sections say whose they are.
        cells: Its cells.
        seconds_of: Returns what some of them take; it is asked only where there are several suites.
    """
    asked: dict[str, list[str]] = {}
    for row in rows:
        suite, between, _ = str(row.get("section", "")).partition(BETWEEN)
        if between:
            asked.setdefault(suite, []).extend(cell for cell in row["cells"] if cell in cells)
    if len(asked) < 2:
        return None
    needed = {suite: closure(cells, first) for suite, first in asked.items()}
    every = {cell for found in needed.values() for cell in found}
    seconds = seconds_of(list(every))
    alone = sum(seconds.get(cell, 0.0) for found in needed.values() for cell in found)
    return Sharing(
        {suite: len(found) for suite, found in needed.items()},
        len(every),
        alone,
        sum(seconds.get(cell, 0.0) for cell in every),
    )
