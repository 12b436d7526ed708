"""What people asked for: runs of suites, and single calls."""

from __future__ import annotations

import time
from collections.abc import Sequence

from sqlalchemy import Connection, insert, select, update

from stillproof.core.errors import BadInput
from stillproof.core.spec import Json, digest
from stillproof.store.database import Database, harmless_twice
from stillproof.store.records import Run, Verb
from stillproof.store.schema import runs
from stillproof.store.strict_json import to_text


class Runs:
    """The runs and single calls of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @harmless_twice
    def save_run(
        self,
        suite: str,
        config: Json,
        rows: Sequence[Json],
        *,
        name: str | None = None,
        note: str | None = None,
        verb: Verb = "run",
    ) -> int:
        """Keep what was asked for and return its number; what was asked before, word for word, keeps that one.

        Args:
            suite: The suite; empty for a single call.
            config: Its parameters.
            rows: The rows of its table, with the ids of their cells.
            name: What people call it; without one, the name that it had.
            note: What people want to remember; without one, the note that it had.
            verb: Which command asked.

        Raises:
            BadInput: Another run has that name, or it could be mistaken for a number or a suite.
        """
        given = {key: value for key, value in (("name", name), ("note", note)) if value is not None}
        texts = {
            "config": to_text(config, f"the configuration of {suite or verb}"),
            "rows": to_text(list(rows), f"the rows of {suite or verb}"),
        }
        asks = digest({"verb": verb, "suite": suite, "config": config, "rows": list(rows)})
        now = time.time()
        values = {"suite": suite, "verb": verb, "hash": asks, "created": now, "asked": now, **texts, **given}
        with self._database.write() as connection:
            if name is not None:
                _check_free(connection, name, suite, asks)
            again = update(runs).where(runs.c.hash == asks).values(asked=now, **given).returning(runs.c.id)
            found = connection.execute(again).scalar()
            return int(found or connection.execute(insert(runs).values(values).returning(runs.c.id)).scalar_one())

    def last_run(self, suite: str) -> Run | None:
        """Return the run of ``suite`` that was asked for last, or nothing."""
        newest = select(runs).where(runs.c.verb == "run", runs.c.suite == suite)
        with self._database.read() as connection:
            row = connection.execute(newest.order_by(runs.c.asked.desc(), runs.c.id.desc()).limit(1)).one_or_none()
        return None if row is None else Run.from_row(row)

    def runs(self) -> list[Run]:
        """Return all runs of suites, that which was asked for last first."""
        return [run for run in self.runs_and_calls() if run.verb == "run"]

    def runs_and_calls(self) -> list[Run]:
        """Return all runs and single calls, that which was asked for last first."""
        with self._database.read() as connection:
            return read_runs(connection)


def read_runs(connection: Connection) -> list[Run]:
    """Return all runs and single calls, that which was asked for last first."""
    newest = select(runs).order_by(runs.c.asked.desc(), runs.c.id.desc())
    return [Run.from_row(row) for row in connection.execute(newest)]


def _check_free(connection: Connection, name: str, suite: str, asks: str) -> None:
    if not name.strip() or name.strip().isdecimal():
        raise BadInput(f"{name!r} cannot be the name of a run: write one with a letter in it.")
    if name == suite or connection.execute(select(runs.c.id).where(runs.c.suite == name).limit(1)).scalar():
        raise BadInput(f"{name!r} is the name of a suite: choose another for the run.")
    taken = connection.execute(select(runs.c.id).where(runs.c.name == name, runs.c.hash != asks)).scalar()
    if taken is not None:
        raise BadInput(f"run {taken} is called {name!r} already and asks something else: choose another name.")
