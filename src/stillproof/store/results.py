"""The questions that were asked and the answers found so far."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, Table, and_, case, func, or_, select

from stillproof.core.spec import Json, canonical_json
from stillproof.store.database import Columns, chunks, harmless_twice
from stillproof.store.links import ANSWERED, named_in
from stillproof.store.records import SCHEDULING, NewCell, Record
from stillproof.store.runs import Runs
from stillproof.store.schema import cell_needs, cells
from stillproof.store.strict_json import from_text, to_text

SHORTEST_PREFIX = 4


@dataclass(frozen=True, slots=True)
class Question:
    """What a cell asks; ``reads`` are the ids that it names, of cells and of artifacts.

    ``origin`` is the store that its answer was merged from, if it was.
    """

    spec: Json
    reads: frozenset[str]
    origin: str | None


class Results(Runs):
    """Cells and runs of one store."""

    @harmless_twice
    def put(self, new: Sequence[NewCell]) -> None:
        """Enter cells as pending; existing ones stay as they are, but for what was not planned here.

        Those of an older version lack what workers need to know, and of one that was merged without an answer the hints
        and needs may say anything.
        """
        now = time.time()
        rows = [
            {
                "id": cell.id,
                "stage": cell.stage,
                "spec": to_text(cell.spec, f"the spec of cell {cell.id[:12]}"),
                **_hints(cell),
                "status": "pending",
                "attempts": 0,
                "progress": 0.0,
                "created": now,
                "kind": cell.kind,
                "alone": int(cell.alone),
                "machine": None if cell.machine is None else canonical_json(cell.machine),
            }
            for cell in new
        ]
        waits = [{"cell": cell.id, "need": need} for cell in new for need in dict.fromkeys(cell.needs)]
        with self._database.write(alone=False) as connection:
            self._database.insert_new(connection, cells, rows, _renewed)
            self._database.insert_new(connection, cell_needs, waits)

    def get(self, cell: str) -> Record | None:
        """Return one cell, or nothing."""
        return self.get_many([cell]).get(cell)

    def get_many(self, ids: Sequence[str]) -> dict[str, Record]:
        """Return those of the cells that are there, by id."""
        return {row.id: Record.from_row(row) for row in self._rows(select(cells), ids)}

    def statuses(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the status of those of the cells that are there, by id."""
        return {row.id: row.status for row in self._rows(select(cells.c.id, cells.c.status), ids)}

    def progress_of(self, ids: Sequence[str]) -> dict[str, float]:
        """Return the progress of those of the cells that are there, 0 to 1, by id."""
        return {row.id: row.progress for row in self._rows(select(cells.c.id, cells.c.progress), ids)}

    def seconds_of(self, ids: Sequence[str]) -> dict[str, float]:
        """Return what computing those of the cells took of which that is known, by id."""
        timed = select(cells.c.id, cells.c.seconds).where(cells.c.seconds.is_not(None))
        return {row.id: row.seconds for row in self._rows(timed, ids)}

    def origins(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the stores that the answers of those of the cells were merged from that were merged, by id."""
        merged = select(cells.c.id, cells.c.origin).where(cells.c.origin.is_not(None))
        return {row.id: row.origin for row in self._rows(merged, ids)}

    def seconds_done(self) -> float:
        """Return what computing all finished cells took."""
        query = select(func.coalesce(func.sum(cells.c.seconds), 0.0)).where(cells.c.status == "done")
        with self._database.read() as connection:
            return float(connection.execute(query).scalar_one())

    def artifacts_of(self, ids: Sequence[str]) -> dict[str, list[str]]:
        """Return the artifacts that the answers of those of the cells stand on that are done, by cell."""
        done = select(cells.c.id, cells.c.artifacts).where(cells.c.status == "done")
        return {row.id: from_text(row.artifacts, list) or [] for row in self._rows(done, ids)}

    def find(self, prefix: str) -> list[str]:
        """Return the ids that begin with ``prefix``; none if that is too short."""
        if not is_prefix(prefix):
            return []
        with self._database.read() as connection:
            return list(connection.execute(select(cells.c.id).where(begins(cells, prefix)).limit(100)).scalars())

    def specs(self, stage: str) -> dict[str, Json]:
        """Return the specs of all cells of a stage, by id."""
        with self._database.read() as connection:
            rows = connection.execute(select(cells.c.id, cells.c.spec).where(cells.c.stage == stage))
            return {row.id: from_text(row.spec, dict) for row in rows}

    def behind(self, ids: Sequence[str]) -> dict[str, Question]:
        """Return what those cells ask, and all cells that they stand on, directly or not."""
        query = select(cells.c.id, cells.c.spec, cells.c.needs, cells.c.derived_from, cells.c.origin)
        found: dict[str, Question] = {}
        asked, wanted = set(ids), list(dict.fromkeys(ids))
        while wanted:
            rows = self._rows(query, wanted)
            for row in rows:
                reads = named_in(row.spec, row.needs, row.derived_from)
                found[row.id] = Question(from_text(row.spec, dict), reads, row.origin)
            wanted = sorted({read for row in rows for read in found[row.id].reads} - asked)
            asked |= set(wanted)
        return found

    def counts(self) -> dict[str, dict[str, int]]:
        """Return how many cells there are, by stage and status."""
        query = select(cells.c.stage, cells.c.status, func.count()).group_by(cells.c.stage, cells.c.status)
        found: dict[str, dict[str, int]] = {}
        with self._database.read() as connection:
            for stage, status, count in connection.execute(query.order_by(cells.c.stage, cells.c.status)):
                found.setdefault(stage, {})[status] = count
        return found

    def failures(self) -> list[Record]:
        """Return the cells that failed, newest first."""
        query = select(cells).where(cells.c.status == "failed").order_by(cells.c.finished.desc().nulls_last())
        with self._database.read() as connection:
            return [Record.from_row(row) for row in connection.execute(query)]

    def newest_done(self, most: int) -> list[Record]:
        """Return the cells that were finished here last."""
        here = and_(cells.c.status == "done", cells.c.origin.is_(None))
        query = select(cells).where(here).order_by(cells.c.finished.desc().nulls_last()).limit(most)
        with self._database.read() as connection:
            return [Record.from_row(row) for row in connection.execute(query)]

    @harmless_twice
    def _rows(self, query: Select[Any], ids: Sequence[str]) -> list[Row[Any]]:
        with self._database.read() as connection:
            return [row for part in chunks(ids) for row in connection.execute(query.where(cells.c.id.in_(part)))]


def _hints(cell: NewCell) -> dict[str, str]:
    """Return the columns that help to compute a cell."""
    return {
        "where": to_text(cell.where, f"the hints of cell {cell.id[:12]}"),
        "needs": to_text(list(cell.needs), f"the needs of cell {cell.id[:12]}"),
    }


def _renewed(planned: Columns) -> tuple[dict[str, Any], ColumnElement[bool]]:
    """Return what changes of a cell that was there before, and on what condition, given the columns as planned."""
    answered = or_(*(cells.c.status == status for status in ANSWERED))  # a list may not be in what is done many times
    hints = {name: case((answered, cells.c[name]), else_=planned[name]) for name in ("where", "needs")}
    unplanned = and_(*(cells.c[name].is_(None) for name in SCHEDULING))
    return {name: planned[name] for name in SCHEDULING} | hints, unplanned


def is_prefix(text: str) -> bool:
    """Say whether ``text`` can be the beginning of an id, and is long enough to mean one."""
    return len(text) >= SHORTEST_PREFIX and set(text) <= set("0123456789abcdef")


def begins(table: Table, prefix: str) -> ColumnElement[bool]:
    """Return the condition that an id begins with ``prefix``, in a form that an index serves."""
    return table.c.id.between(prefix, prefix + "g")  # g sorts after every hexadecimal digit
