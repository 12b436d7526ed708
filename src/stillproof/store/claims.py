"""Claims: who computes which cell, for how long without a sign of life, and how that ends."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, or_, select, update

from stillproof.core.errors import LeaseLost
from stillproof.core.spec import Json
from stillproof.store.damage import with_derived
from stillproof.store.database import Database, chunks
from stillproof.store.owner import is_dead
from stillproof.store.schema import cells
from stillproof.store.strict_json import from_text, to_text

MOST_ATTEMPTS = 3
LOOK_AT = 64  # cells at a time: the first that is free is mostly among the first
GIVEN_UP = f"given up after {MOST_ATTEMPTS} workers died while computing it"

_OF_AN_ANSWER = ("result", "error", "provenance", "artifacts", "derived_from")
_EMPTY = ("owner", "lease_until", "started", "finished", "seconds", *_OF_AN_ANSWER)
FRESH = {"status": "pending", "attempts": 0, "progress": 0.0, **dict.fromkeys(_EMPTY)}  # as if never tried


class Claims:
    """The claims on the cells of one store; every change is one conditional update whose row count decides."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def claim(self, ids: Sequence[str], owner: str, lease_seconds: float) -> str | None:
        """Take the first of ``ids`` that is free and return it, or nothing.

        Free is a cell that is pending, or whose owner is dead or let its lease run out. A cell that
        has killed as many workers as are allowed fails instead.
        """
        for part in chunks(ids, LOOK_AT):
            free, dead = self._candidates(part)
            for cell in (cell for cell in part if cell in free):
                if free[cell] >= MOST_ATTEMPTS:
                    self._give_up(cell, dead)
                elif self._take(cell, owner, lease_seconds, dead):
                    return cell
        return None

    def renew(self, cell: str, owner: str, lease_seconds: float, progress: float) -> None:
        """Show that ``owner`` still lives and how far it is, 0 to 1."""
        self._change(cell, owner, lease_until=time.time() + lease_seconds, progress=progress)

    def finish(
        self,
        cell: str,
        owner: str,
        result: Json,
        seconds: float,
        provenance: Json,
        *,
        artifacts: Sequence[str] = (),
        derived_from: Sequence[str] = (),
    ) -> None:
        """Store the answer, the artifacts that it stands on and the cells whose answers it repeats in part."""
        text = to_text(result, f"the result of cell {cell[:12]}")
        origin = to_text(provenance, f"the provenance of cell {cell[:12]}")
        stands_on = {
            "artifacts": to_text(list(artifacts), f"the artifacts of cell {cell[:12]}"),
            "derived_from": to_text(list(derived_from), f"the origin of cell {cell[:12]}"),
        }
        self._end(cell, owner, "done", progress=1.0, result=text, seconds=seconds, provenance=origin, **stands_on)

    def fail(
        self, cell: str, owner: str, error: str, seconds: float | None = None, provenance: Json | None = None
    ) -> None:
        """Store that the cell failed, and why."""
        origin = None if provenance is None else to_text(provenance, f"the provenance of cell {cell[:12]}")
        self._end(cell, owner, "failed", error=error, seconds=seconds, provenance=origin)

    def unsupported(self, cell: str, owner: str, reason: str, provenance: Json | None = None) -> None:
        """Store that the question has no answer, by definition."""
        origin = None if provenance is None else to_text(provenance, f"the provenance of cell {cell[:12]}")
        self._end(cell, owner, "unsupported", error=reason, progress=1.0, provenance=origin)

    def release(self, cell: str, owner: str) -> None:
        """Give the cell back, unharmed: its owner was stopped by the user."""
        attempts = cells.c.attempts - 1
        self._change(cell, owner, status="pending", owner=None, lease_until=None, started=None, attempts=attempts)

    def reset_failed(self, ids: Sequence[str]) -> None:
        """Let those of ``ids`` that failed, or whose owner died, be tried again as if for the first time.

        It is for a person who gives the command again: what died with the earlier command does not count.
        """
        for part in chunks(ids):
            _, dead = self._candidates(part)
            died = and_(cells.c.status == "running", cells.c.owner.in_(dead))
            again = and_(cells.c.id.in_(part), or_(cells.c.status == "failed", died))
            with self._database.write() as connection:
                connection.execute(update(cells).where(again).values(FRESH))

    def reopen(self, ids: Sequence[str]) -> list[str]:
        """Forget the answers of those of ``ids`` that are done, and all that repeat them: they are computed again.

        Returns:
            The cells that are pending now because of that, and ``ids`` themselves.
        """
        again = with_derived(ids, self._origins()) if ids else []
        for part in chunks(again):
            with self._database.write() as connection:
                done = and_(cells.c.id.in_(part), cells.c.status == "done")
                connection.execute(update(cells).where(done).values(FRESH))
        return again

    def _origins(self) -> dict[str, list[str]]:
        """Return the cells that each answer was derived from, by cell."""
        derived = and_(cells.c.status == "done", cells.c.derived_from.is_not(None), cells.c.derived_from != "[]")
        with self._database.read() as connection:
            rows = connection.execute(select(cells.c.id, cells.c.derived_from).where(derived)).all()
        return {row.id: from_text(row.derived_from) for row in rows}

    def _candidates(self, ids: Sequence[str]) -> tuple[dict[str, int], list[str]]:
        """Return the attempts of those cells that look free, by id, and the owners found dead."""
        now = time.time()
        columns = select(cells.c.id, cells.c.status, cells.c.owner, cells.c.lease_until, cells.c.attempts)
        with self._database.read() as connection:
            rows = connection.execute(columns.where(cells.c.id.in_(ids))).all()
        running = [row for row in rows if row.status == "running"]
        dead = [owner for owner in {row.owner for row in running} if is_dead(owner)]
        free = [row for row in rows if row.status == "pending"]
        free += [row for row in running if row.owner in dead or row.lease_until < now]
        return {row.id: row.attempts for row in free}, dead

    def _take(self, cell: str, owner: str, lease_seconds: float, dead: Sequence[str]) -> bool:
        now = time.time()
        free = or_(cells.c.status == "pending", _abandoned(dead, now))
        values = {"owner": owner, "lease_until": now + lease_seconds, "started": now, "progress": 0.0}
        values |= {"status": "running", "attempts": cells.c.attempts + 1}
        return self._update(and_(cells.c.id == cell, free, cells.c.attempts < MOST_ATTEMPTS), values)

    def _give_up(self, cell: str, dead: Sequence[str]) -> None:
        now = time.time()
        spent = and_(cells.c.id == cell, _abandoned(dead, now), cells.c.attempts >= MOST_ATTEMPTS)
        self._update(spent, {"status": "failed", "error": GIVEN_UP, "finished": now, "lease_until": None})

    def _end(self, cell: str, owner: str, status: str, **values: Any) -> None:
        self._change(cell, owner, status=status, finished=time.time(), lease_until=None, **values)

    def _change(self, cell: str, holder: str, /, **values: Any) -> None:
        held = and_(cells.c.id == cell, cells.c.status == "running", cells.c.owner == holder)
        if not self._update(held, values):
            raise LeaseLost(
                f"cell {cell[:12]} is no longer held by {holder}: another process took it over or ended it."
            )

    def _update(self, condition: ColumnElement[bool], values: dict[str, Any]) -> bool:
        with self._database.write() as connection:
            return connection.execute(update(cells).where(condition).values(values)).rowcount == 1


def _abandoned(dead: Sequence[str], now: float) -> ColumnElement[bool]:
    return and_(cells.c.status == "running", or_(cells.c.lease_until < now, cells.c.owner.in_(dead)))
