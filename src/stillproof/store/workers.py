"""Who works on a store: each worker enters itself, and says from time to time that it is there."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, delete, insert, or_, select, update

from stillproof.core.errors import StoreError
from stillproof.core.spec import Json
from stillproof.store.clock import Now
from stillproof.store.database import Database, harmless_twice
from stillproof.store.owner import life_of
from stillproof.store.schema import cells, workers
from stillproof.store.strict_json import from_text

SEEN_SECONDS = 30.0  # between two signs of life of one that computes nothing
SILENT_SECONDS = 600.0  # after which one that cannot be seen, and holds no cell, is taken for dead
KEPT_SECONDS = 86400.0  # for which one that has ended is kept
JOBS = {"SLURM_JOB_ID": "Slurm", "RAY_JOB_ID": "Ray"}  # variables that tell what started a process


@dataclass(frozen=True, slots=True)
class AtWork:
    """A worker that lives, as far as it can be known.

    Args:
        name: Its name, as it owns cells.
        node: Its machine.
        job: What started it; nothing for a person.
        seconds: How long it has been there.
        cell: The cell that it computes, if it does, and what people call that.
        label: The same.
        progress: How much of that cell is done, 0 to 1.
    """

    name: str
    node: str
    job: str | None
    seconds: float
    cell: str | None
    label: str
    progress: float

    @property
    def process(self) -> str:
        """Return the number of its process on that machine."""
        return "".join(self.name.split("/")[-2:-1])

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        return {"name": self.name, "node": self.node, "job": self.job, "seconds": self.seconds} | {
            "cell": self.cell,
            "label": self.label,
            "progress": self.progress,
        }


class Workers:
    """The workers of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._said = 0.0

    @contextmanager
    def entered(self, name: str, plan: int | None) -> Iterator[None]:
        """Enter a worker, for a block; others that ended long ago are forgotten."""
        old = or_(workers.c.ended < Now() - KEPT_SECONDS, workers.c.seen < Now() - 7 * KEPT_SECONDS)
        new = {"name": name, "node": platform.node(), "job": _job(), "plan": plan, "started": Now(), "seen": Now()}
        self._enter(new, old)
        self._said = time.monotonic()
        try:
            yield
        finally:
            with suppress(StoreError):  # what ended the work may be that nothing can be written
                self._update(name, {"ended": Now()})

    @harmless_twice
    def _enter(self, new: dict[str, Any], old: ColumnElement[bool]) -> None:
        with self._database.write(alone=False) as connection:
            connection.execute(delete(workers).where(old))
            connection.execute(delete(workers).where(workers.c.name == new["name"]))
            connection.execute(insert(workers).values(new))

    def see(self, name: str) -> None:
        """Note that a worker is there, if that was not noted just now."""
        if time.monotonic() - self._said >= SEEN_SECONDS:
            self._update(name, {"seen": Now()})
            self._said = time.monotonic()

    @harmless_twice
    def at_work(self) -> list[AtWork]:
        """Return the workers that live, those that were there first at first."""
        age, silence = (Now() - workers.c.started).label("age"), (Now() - workers.c.seen).label("silence")
        held = and_(cells.c.owner == workers.c.name, cells.c.status == "running")
        overdue = (Now() - cells.c.lease_until).label("overdue")
        about = (workers.c.name, workers.c.node, workers.c.job, age, silence)
        query = select(*about, cells.c.id, cells.c.where, cells.c.stage, cells.c.progress, overdue)
        with self._database.read() as connection:
            rows = connection.execute(
                query.select_from(workers.outerjoin(cells, held))
                .where(workers.c.ended.is_(None))
                .order_by(workers.c.started, workers.c.name)
            ).all()
        return [
            AtWork(row.name, row.node, row.job, row.age, row.id, _label(row), row.progress or 0.0)
            for row in rows
            if _lives(row)
        ]

    @harmless_twice
    def _update(self, name: str, values: dict[str, Any]) -> None:
        with self._database.write(alone=False) as connection:
            connection.execute(update(workers).where(workers.c.name == name).values(values))


def _lives(row: Row[Any]) -> bool:
    life = life_of(row.name)
    if life != "unknown":
        return life == "alive"
    return bool(row.overdue <= 0 if row.id is not None else row.silence < SILENT_SECONDS)


def _label(row: Row[Any]) -> str:
    where = from_text(row.where, dict) if row.id is not None else {}
    return str(where.get("label") or row.stage or "")


def _job() -> str | None:
    found = (f"{engine} job {os.environ[variable]}" for variable, engine in JOBS.items() if variable in os.environ)
    return next(found, None)
