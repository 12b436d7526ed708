"""Who holds which cell, and which of these give no sign of life."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, select

from stillproof.core.amounts import duration
from stillproof.core.spec import Json
from stillproof.store.clock import Now
from stillproof.store.database import Database
from stillproof.store.owner import described, life_of
from stillproof.store.schema import cells

OVERDUE = (Now() - cells.c.lease_until).label("overdue")  # seconds since its lease ran out, below 0 while it lasts
OF_A_CLAIM: tuple[ColumnElement[Any], ...] = (
    cells.c.id,
    cells.c.stage,
    cells.c.status,
    cells.c.owner,
    cells.c.lease_until,
    OVERDUE,
)


@dataclass(frozen=True, slots=True)
class Silent:
    """A cell that a living process of this machine holds, whose lease has run out.

    Args:
        cell: The cell.
        stage: Its stage.
        owner: The name of the process.
        seconds: How long ago its lease ran out.
    """

    cell: str
    stage: str
    owner: str
    seconds: float

    def sentence(self) -> str:
        """Return who holds what, and what can be done."""
        return (
            f"cell {self.cell[:12]} ({self.stage}) is held by {described(self.owner)}, which lives but has given no "
            f"sign of life since its lease ran out {duration(self.seconds)} ago: continue that process or end it, or "
            f"free the cell with `stillproof status --release {self.cell[:12]}`."
        )

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        return {"cell": self.cell, "stage": self.stage, "by": described(self.owner), "seconds": self.seconds}


def is_abandoned(row: Row[Any]) -> bool:
    """Say whether a cell runs no more: its worker is dead, or silent where only the lease tells."""
    if row.status != "running":
        return False
    life = life_of(row.owner or "")
    return life == "dead" or (life == "unknown" and _is_overdue(row))


def silent_holders(database: Database) -> list[Silent]:
    """Return the cells that are held by living processes which give no sign of life."""

    def running() -> Sequence[Row[Any]]:
        with database.read() as connection:
            return connection.execute(select(*OF_A_CLAIM).where(cells.c.status == "running")).all()

    rows = database.patiently(running)
    late = [row for row in rows if _is_overdue(row) and life_of(row.owner or "") == "alive"]
    return [Silent(row.id, row.stage, row.owner, row.overdue or 0.0) for row in late]


def _is_overdue(row: Row[Any]) -> bool:
    return row.overdue is None or bool(row.overdue > 0)  # a claim without a lease is none
