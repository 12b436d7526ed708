"""Which cells and artifacts the cells of a store refer to, and which cells are computed right now."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from stillproof.store.holders import OF_A_CLAIM, is_abandoned
from stillproof.store.owner import described
from stillproof.store.schema import cells

_ID = re.compile(r'"([0-9a-f]{64})"')  # in JSON, where an id is a string of its own
ANSWERED = ("done", "unsupported")


@dataclass(frozen=True, slots=True)
class Links:
    """A cell, and the ids that it names.

    Args:
        id: The cell.
        stage: Its stage.
        status: Its status.
        owner: Who computes it, if somebody does.
        reads: Cells and artifacts that its question names.
        made: Artifacts that its answer names.
        derived: Whether its answer repeats others in part, and costs nothing to give again.
    """

    id: str
    stage: str
    status: str
    owner: str | None
    reads: frozenset[str]
    made: frozenset[str]
    derived: bool

    @property
    def state(self) -> str:
        """Return its status, as people should read it: one whose worker died does not run."""
        return "abandoned" if self.status == "running" and self.owner is None else self.status

    def computed(self) -> str:
        """Say which cell this is, and who computes it."""
        return f"cell {self.id[:12]}, {self.stage}, by {described(self.owner or '')}"


def named_in(*texts: str | None) -> frozenset[str]:
    """Return all ids in JSON texts, whatever they name: cells and artifacts are told apart by looking them up."""
    return frozenset(found for text in texts if text for found in _ID.findall(text))


def read_links(connection: Connection) -> dict[str, Links]:
    """Return all cells of a store by id; one whose worker is dead, or gave no sign of life, has no owner."""
    named = ("spec", "needs", "result", "artifacts", "derived_from")
    found = {}
    for row in connection.execute(select(*OF_A_CLAIM, *(cells.c[name] for name in named))):
        reads, made = named_in(row.spec, row.needs, row.derived_from), named_in(row.result, row.artifacts)
        found[row.id] = Links(row.id, row.stage, row.status, holder(row), reads, made, bool(named_in(row.derived_from)))
    return found


def holder(row: Row[Any]) -> str | None:
    """Return who computes the cell of a row; nobody, if that worker is dead, or silent and cannot be seen from here."""
    return row.owner if row.status == "running" and not is_abandoned(row) else None


def abandoned(connection: Connection) -> dict[str, str]:
    """Return the stages of cells, by id, that were begun by a worker that died, and by no other since."""
    running = select(*OF_A_CLAIM).where(cells.c.status == "running")
    return {row.id: row.stage for row in connection.execute(running) if holder(row) is None}


def reached(links: Mapping[str, Links], roots: Iterable[str]) -> set[str]:
    """Return the cells that are named, and those that they read, directly or not."""
    found: set[str] = set()
    left = [root for root in roots if root in links]
    while left:
        cell = left.pop()
        if cell not in found:
            found.add(cell)
            left.extend(name for name in links[cell].reads if name in links)
    return found


def in_use(links: Mapping[str, Links], among: Collection[str]) -> Links | None:
    """Return a cell of these that a living process computes, if there is one."""
    return next((links[cell] for cell in sorted(among) if links[cell].owner is not None), None)
