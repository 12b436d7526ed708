"""Pools: groups of sets and models of the store, under a name."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from stillproof.core.errors import BadInput, UnknownName
from stillproof.store.database import Database
from stillproof.store.schema import artifacts, pool_members

SETS, MODELS, ATTACKED = "distilled", "model", "attacked-set"
KINDS = (SETS, MODELS, ATTACKED)  # what a pool may hold
TICK = 1e-6  # seconds, about four times what a float of today's time can tell apart
NAME = re.compile(r"[A-Za-z0-9][\w.+-]*")


@dataclass(frozen=True, slots=True)
class Member:
    """An artifact of a pool; its name is empty if it has none."""

    artifact: str
    kind: str
    name: str


class Pools:
    """The pools of one store. A pool is there as long as something is in it, and what is in one is never pruned."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, pool: str, members: Sequence[str]) -> list[str]:
        """Put artifacts into a pool, which is made if need be; return those that were not in it.

        Raises:
            BadInput: The name is none, or an artifact is neither a set nor a model.
        """
        check_name(pool)
        with self._database.write() as connection:
            query = select(artifacts.c.id, artifacts.c.kind).where(artifacts.c.id.in_(list(members)))
            kinds = {row.id: row.kind for row in connection.execute(query)}
            for member in members:
                if kinds.get(member) not in KINDS:
                    what = f"of kind {kinds[member]}" if member in kinds else "not in this store"
                    raise BadInput(f"artifact {member[:12]} is {what}: a pool holds sets, attacked sets and models.")
            here = set(connection.execute(select(pool_members.c.artifact).where(pool_members.c.pool == pool)).scalars())
            new = [member for member in dict.fromkeys(members) if member not in here]
            now = time.time()  # asked once for each, the clock often gives one time to several
            rows = [{"pool": pool, "artifact": one, "added": now + TICK * at} for at, one in enumerate(new)]
            self._database.insert_new(connection, pool_members, rows)
        return new

    def names(self) -> list[str]:
        """Return the names of all pools."""
        with self._database.read() as connection:
            return sorted(set(connection.execute(select(pool_members.c.pool)).scalars()))

    def members(self, pool: str) -> list[Member]:
        """Return what is in a pool, in the order in which it came.

        Raises:
            UnknownName: There is no such pool.
        """
        joined = select(artifacts.c.id, artifacts.c.kind, artifacts.c.name).join_from(pool_members, artifacts)
        ordered = joined.where(pool_members.c.pool == pool).order_by(pool_members.c.added, artifacts.c.id)
        with self._database.read() as connection:
            found = [Member(row.id, row.kind, row.name or "") for row in connection.execute(ordered)]
        if not found:
            raise UnknownName("pool", pool, self.names())
        return found


def check_name(pool: str) -> None:
    """Refuse what is no name for a pool."""
    if not NAME.fullmatch(pool):
        raise BadInput(f"{pool!r} is not a name for a pool: letters, digits, and . _ + - between them, make one.")


def pooled(connection: Connection) -> set[str]:
    """Return the artifacts that are in a pool."""
    return set(connection.execute(select(pool_members.c.artifact)).scalars())
