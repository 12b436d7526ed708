"""Brings the runs and single calls of another store."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain, count
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from stillproof.store.schema import runs
from stillproof.store.store import Store


def merge_runs(store: Store, other: Store) -> tuple[int, dict[str, str]]:
    """Bring what was asked there and not here, under new numbers; what is here gets the name and note that it lacks.

    Returns:
        How many came, and what runs are called here whose names ours have, by those names.
    """
    with other.database.read() as connection:
        theirs = connection.execute(select(runs).order_by(runs.c.created, runs.c.id)).all()
    came, renamed = 0, dict[str, str]()
    with store.database.write() as connection:
        ours = {row.hash: row for row in connection.execute(select(runs))}
        names = {row.name for row in ours.values() if row.name}
        for row in theirs:
            here = ours.get(row.hash)
            if here is not None:
                _complete(connection, here, row, names)
                continue
            values = {key: value for key, value in row._mapping.items() if key != "id"}
            if row.name is not None:
                values["name"] = _free(row.name, names)
                names.add(values["name"])
                renamed |= {row.name: values["name"]} if values["name"] != row.name else {}
            connection.execute(insert(runs).values(values))
            came += 1
    return came, renamed


def _complete(connection: Connection, here: Row[Any], there: Row[Any], names: Collection[str]) -> None:
    values = {
        "asked": max(here.asked, there.asked),
        "name": here.name or (there.name if there.name not in names else None),
        "note": here.note or there.note,
    }
    connection.execute(update(runs).where(runs.c.id == here.id).values(values))


def _free(name: str, names: Collection[str]) -> str:
    numbered = (f"{name}-{number}" for number in count(2))
    return next(found for found in chain([name], numbered) if found not in names)
