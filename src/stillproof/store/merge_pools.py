"""Brings the pools of another store."""

from __future__ import annotations

from sqlalchemy import select

from stillproof.store.schema import artifacts, pool_members
from stillproof.store.store import Store


def merge_pools(store: Store, other: Store) -> None:
    """Put into our pools what is in those of the same names there, as far as it is here by now."""
    with other.database.read() as connection:
        theirs = [dict(row._mapping) for row in connection.execute(select(pool_members))]
    with store.database.write() as connection:
        here = set(connection.execute(select(artifacts.c.id)).scalars())
        store.database.insert_new(connection, pool_members, [row for row in theirs if row["artifact"] in here])
