"""Claims: who computes which cell, for how long without a sign of life, and how that ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, case, or_, select, update

from stillproof.core.errors import LeaseLost
from stillproof.core.spec import Json
from stillproof.store.clock import Now
from stillproof.store.damage import with_derived
from stillproof.store.database import Database, chunks, harmless_twice
from stillproof.store.holders import OF_A_CLAIM, is_abandoned
from stillproof.store.links import ANSWERED
from stillproof.store.owner import described, life_of
from stillproof.store.schema import cells
from stillproof.store.strict_json import from_text, storable, to_text

MOST_ATTEMPTS = 3
LOOK_AT = 64  # cells at a time: the first that is free is mostly among the first
TRY_AT = 8  # free cells at a time: of them one is taken in one statement, which takes longer to write for more
GIVEN_UP = f"given up after {MOST_ATTEMPTS} workers died while computing it"

_OF_AN_ANSWER = ("result", "error", "provenance", "artifacts", "derived_from")
_EMPTY = ("owner", "lease_until", "started", "finished", "seconds", "origin", *_OF_AN_ANSWER)
FRESH = {"status": "pending", "attempts": 0, "progress": 0.0, **dict.fromkeys(_EMPTY)}  # as if never tried


class Claims:
    """The claims on the cells of one store; every change is one conditional update whose row count decides."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def claim(self, ids: Sequence[str], owner: str, lease_seconds: float) -> str | None:
        """Take the first of ``ids`` that is free and return it, or nothing.

        Free is a cell that is pending, or whose owner is dead, or let its lease run out and cannot be seen from here.
        A process that lives on this machine keeps its cell however long it is silent: it may have been stopped, or the
        clock have jumped. A cell that has killed as many workers as are allowed fails instead.
        """
        for part in chunks(ids, LOOK_AT):
            free = self._free(part)
            seen = [free[cell] for cell in part if cell in free]
            for row in seen:
                if row.attempts >= MOST_ATTEMPTS:
                    self._give_up(row)
            allowed = [row for row in seen if row.attempts < MOST_ATTEMPTS]
            taken = (self._take(rows, owner, lease_seconds) for rows in chunks(allowed, TRY_AT))
            if cell := next(filter(None, taken), None):
                return cell
        return None

    def renew(self, cell: str, owner: str, lease_seconds: float, progress: float) -> None:
        """Show that ``owner`` still lives and how far it is, 0 to 1; a server that is away is not waited for."""
        values = {"lease_until": Now() + lease_seconds, "progress": progress}
        if not self._update(_held(cell, owner), values, wait=False):
            raise _lost(cell, owner)

    @harmless_twice
    def check(self, cell: str, owner: str) -> None:
        """Raise ``LeaseLost`` unless ``owner`` holds the cell."""
        with self._database.read() as connection:
            if connection.execute(select(cells.c.id).where(_held(cell, owner))).first() is None:
                raise _lost(cell, owner)

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
        self._end(cell, owner, "failed", error=storable(error), seconds=seconds, provenance=origin)

    def unsupported(self, cell: str, owner: str, reason: str, provenance: Json | None = None) -> None:
        """Store that the question has no answer, by definition."""
        origin = None if provenance is None else to_text(provenance, f"the provenance of cell {cell[:12]}")
        self._end(cell, owner, "unsupported", error=storable(reason), progress=1.0, provenance=origin)

    def release(self, cell: str, owner: str) -> None:
        """Give the cell back, unharmed: its owner was stopped by the user."""
        values: dict[str, Any] = {"status": "pending", "owner": None, "lease_until": None, "started": None}
        values["attempts"] = cells.c.attempts - 1
        self._change(cell, owner, values, was_kept=lambda: True)  # whoever has it by now, it was given back

    def free(self, cell: str) -> str | None:
        """Take a cell from whoever holds it, as a person asked, and return who that was; nothing if nobody does."""
        with self._database.write(alone=False) as connection:
            running = and_(cells.c.id == cell, cells.c.status == "running")
            found = connection.execute(select(cells.c.owner).where(running)).scalar()
            connection.execute(update(cells).where(running).values(FRESH))
        return found

    @harmless_twice
    def reset_failed(self, ids: Sequence[str]) -> None:
        """Let those of ``ids`` that failed, or whose owner died, be tried again as if for the first time.

        It is for a person who gives the command again: what died with the earlier command does not count.
        """
        for part in chunks(ids):
            dead = [row.owner for row in self._rows(part) if row.status == "running" and life_of(row.owner) == "dead"]
            died = and_(cells.c.status == "running", cells.c.owner.in_(dead))
            again = and_(cells.c.id.in_(part), or_(cells.c.status == "failed", died))
            with self._database.write() as connection:
                connection.execute(update(cells).where(again).values(FRESH))

    @harmless_twice
    def reopen(self, ids: Sequence[str], *, unsupported: bool = False) -> list[str]:
        """Forget the answers of those of ``ids`` that are done, and all that repeat them: they are computed again.

        Args:
            ids: The cells.
            unsupported: Whether to forget of some that they have no answer, too.

        Returns:
            The cells that are pending now because of that, and ``ids`` themselves.
        """
        again = with_derived(ids, self._origins()) if ids else []
        forgotten = ANSWERED if unsupported else ("done",)
        for part in chunks(again):
            with self._database.write() as connection:
                answered = and_(cells.c.id.in_(part), cells.c.status.in_(forgotten))
                connection.execute(update(cells).where(answered).values(FRESH))
        return again

    def _origins(self) -> dict[str, list[str]]:
        """Return the cells that each answer was derived from, by cell."""
        derived = and_(cells.c.status == "done", cells.c.derived_from.is_not(None), cells.c.derived_from != "[]")
        with self._database.read() as connection:
            rows = connection.execute(select(cells.c.id, cells.c.derived_from).where(derived)).all()
        return {row.id: from_text(row.derived_from, list) for row in rows}

    def _free(self, ids: Sequence[str]) -> dict[str, Row[Any]]:
        """Return those of the cells that look free, by id."""
        return {row.id: row for row in self._rows(ids) if row.status == "pending" or is_abandoned(row)}

    @harmless_twice
    def _rows(self, ids: Sequence[str]) -> list[Row[Any]]:
        query = select(*OF_A_CLAIM, cells.c.attempts).where(cells.c.id.in_(ids))
        with self._database.read() as connection:
            return list(connection.execute(query))

    def _take(self, seen: Sequence[Row[Any]], owner: str, lease_seconds: float) -> str | None:
        """Take the first of some free cells that still is as it was seen, and return it.

        Those that others are about to take are passed over, not waited for, where the database can lock single rows.
        """
        place = case({row.id: number for number, row in enumerate(seen)}, value=cells.c.id)
        free = select(cells.c.id).where(_as_seen(seen)).order_by(place).limit(1)
        first = free.with_for_update(skip_locked=True).correlate(None).scalar_subquery()
        now = Now()
        values = {"owner": owner, "lease_until": now + lease_seconds, "started": now, "progress": 0.0}
        values |= {"status": "running", "attempts": cells.c.attempts + 1}
        taking = update(cells).where(cells.c.id == first).values(values).returning(cells.c.id)

        def take() -> str | None:
            with self._database.write(alone=False) as connection:
                return connection.execute(taking).scalar()

        return self._database.patiently(take, redo=lambda: self._taken(seen, owner) or take())

    def _taken(self, seen: Sequence[Row[Any]], owner: str) -> str | None:
        """Return which of some cells that were free ``owner`` has taken since: it may not have heard of it."""
        before = {row.id: row.attempts for row in seen}
        found = self._rows(list(before))
        held = (row.id for row in found if row.status == "running" and row.owner == owner)
        attempts = {row.id: row.attempts for row in found}
        return next((cell for cell in held if attempts[cell] == before[cell] + 1), None)

    @harmless_twice
    def _give_up(self, seen: Row[Any]) -> None:
        values = {"status": "failed", "error": GIVEN_UP, "finished": Now(), "lease_until": None}
        self._update(_unchanged(seen), values)

    def _end(self, cell: str, owner: str, status: str, **values: Any) -> None:
        ended = {"status": status, "finished": Now(), "lease_until": None, **values}

        def was_kept() -> bool:
            return any(row.status == status and row.owner == owner for row in self._rows([cell]))

        self._change(cell, owner, ended, was_kept)

    def _change(self, cell: str, holder: str, values: dict[str, Any], was_kept: Callable[[], bool]) -> None:
        """Change a cell that ``holder`` has; ``was_kept`` says, after a try that nobody heard of, what came of it."""

        def change() -> bool:
            return self._update(_held(cell, holder), values)

        if not self._database.patiently(change, redo=lambda: change() or was_kept()):
            raise _lost(cell, holder)

    def _update(self, condition: ColumnElement[bool], values: dict[str, Any], *, wait: bool = True) -> bool:
        with self._database.write(alone=False, wait=wait) as connection:
            return connection.execute(update(cells).where(condition).values(values)).rowcount == 1


def _as_seen(seen: Sequence[Row[Any]]) -> ColumnElement[bool]:
    """Return the condition that a cell is one of some, and as it was seen."""
    pending = [row.id for row in seen if row.status == "pending"]
    begun = [_unchanged(row) for row in seen if row.status != "pending"]
    waits = and_(cells.c.id.in_(pending), cells.c.status == "pending", cells.c.attempts < MOST_ATTEMPTS)
    return or_(waits, *begun)


def _unchanged(seen: Row[Any]) -> ColumnElement[bool]:
    """Return the condition that a cell is as it was seen: its holder may have shown a sign of life since."""
    columns = (cells.c.status, cells.c.owner, cells.c.lease_until, cells.c.attempts)
    same = (column == seen._mapping[column.name] for column in columns)  # "IS NULL" where nothing was seen
    return and_(cells.c.id == seen.id, *same)


def _held(cell: str, holder: str) -> ColumnElement[bool]:
    return and_(cells.c.id == cell, cells.c.status == "running", cells.c.owner == holder)


def _lost(cell: str, holder: str) -> LeaseLost:
    return LeaseLost(
        f"cell {cell[:12]} is no longer held by {described(holder)}: another process took it over, ended it or "
        "released it."
    )
