"""Brings what was asked on another store: runs of suites, and single calls."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from itertools import chain, count
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from stillproof.store.foreign_rows import ForeignRun, Refused, cleaned, foreign_run
from stillproof.store.schema import runs
from stillproof.store.store import Store


class RunMerge:
    """Brings what was asked there and not here, under new numbers; what is here gets the name and note that it lacks.

    ``came`` says how many came, ``renamed`` what those are called here whose names ours have, by those names, and
    ``refused`` which ones cannot be right, and why.
    """

    def __init__(self, store: Store, other: Store) -> None:
        """Bring them."""
        self.came = 0
        self.renamed: dict[str, str] = {}
        self.refused: list[str] = []
        theirs, now = list(self._read(other)), time.time()  # what was asked in the future would stay the newest
        with store.database.write() as connection:
            ours = {row.hash: row for row in connection.execute(select(runs))}
            names = {row.name for row in ours.values() if row.name}
            suites = {row.suite for row in ours.values()} | {run.suite for run in theirs}
            for run in theirs:
                named = run.model_copy(update={"name": self._name(run, suites)})
                if (here := ours.get(run.hash)) is not None:
                    _complete(connection, here, named, names, now)
                    continue
                values = named.columns() | {key: min(getattr(named, key), now) for key in ("created", "asked")}
                if named.name is not None:
                    values["name"] = _free(named.name, names)
                    names.add(values["name"])
                    self.renamed |= {named.name: values["name"]} if values["name"] != named.name else {}
                connection.execute(insert(runs).values(values))
                self.came += 1

    def _read(self, other: Store) -> Iterator[ForeignRun]:
        with other.database.read() as connection:
            rows = connection.execute(select(runs).order_by(runs.c.created, runs.c.id)).all()
        for row in rows:
            try:
                yield foreign_run(row._asdict())
            except Refused as error:
                called = cleaned(str(row.name or row.suite or row.id))
                self.refused.append(f"{called[:40]}: {error}")

    def _name(self, run: ForeignRun, suites: Collection[str]) -> str | None:
        """Return its name, unless that could be mistaken for a number or a suite."""
        is_one = run.name is not None and run.name.strip() and not run.name.strip().isdecimal()
        return run.name if is_one and run.name not in suites else None


def _complete(connection: Connection, here: Row[Any], there: ForeignRun, names: Collection[str], now: float) -> None:
    values = {
        "asked": max(here.asked, min(there.asked, now)),
        "name": here.name or (there.name if there.name not in names else None),
        "note": here.note or there.note,
    }
    connection.execute(update(runs).where(runs.c.id == here.id).values(values))


def _free(name: str, names: Collection[str]) -> str:
    numbered = (f"{name}-{number}" for number in count(2))
    return next(found for found in chain([name], numbered) if found not in names)
