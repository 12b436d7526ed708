"""Results that were computed elsewhere, each run as a bundle under its name."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sqlalchemy import Connection, Row, delete, insert, select

from stillproof.core.errors import BadInput, UnknownName
from stillproof.store.database import Database
from stillproof.store.read_bundle import bundle_hash, bundle_text, parse_bundle
from stillproof.store.schema import bundles as table

if TYPE_CHECKING:
    from stillproof.store.bundle import Bundle


@dataclass(frozen=True, slots=True)
class Imported:
    """A bundle, and whether it is new, was known already, or has replaced another one of its name."""

    bundle: Bundle
    state: Literal["new", "known", "replaced"]


class Bundles:
    """The bundles of one store. They are shown beside its own answers, and no run ever uses them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._parsed: dict[str, Bundle] = {}  # by hash: checking one takes long, and several readers ask for all

    def add(self, bundles: Sequence[Bundle], *, replace: bool = False) -> list[Imported]:
        """Keep bundles, all or none of them; one that is there already stays as it is.

        Raises:
            BadInput: Another one has such a name, and is not to be replaced.
        """
        with self._database.write() as connection:
            return [_add(connection, bundle, replace) for bundle in bundles]

    def names(self) -> list[str]:
        """Return the names of all bundles."""
        with self._database.read() as connection:
            return list(connection.execute(select(table.c.name).order_by(table.c.name)).scalars())

    def get(self, name: str) -> Bundle:
        """Return a bundle by its name.

        Raises:
            UnknownName: There is none.
        """
        with self._database.read() as connection:
            row = connection.execute(select(table).where(table.c.name == name)).one_or_none()
        if row is None:
            raise UnknownName("results", name, self.names())
        return self._bundle(row)

    def all(self) -> list[Bundle]:
        """Return all bundles, in the order in which they came."""
        with self._database.read() as connection:
            rows = connection.execute(select(table).order_by(table.c.added, table.c.name)).all()
        return [self._bundle(row) for row in rows]

    def bring(self, other: Bundles) -> tuple[list[str], list[str]]:
        """Bring what another store has and this one has not.

        Returns:
            The names under which ours has other results, and why results of that store cannot be read.
        """
        differ, unread = list[str](), list[str]()
        for name in other.names():
            try:
                bundle = other.get(name)
            except BadInput as error:
                unread.append(str(error).rstrip("."))
                continue
            try:
                self.add([bundle])
            except BadInput:
                differ.append(bundle.name)
        return differ, unread

    def _bundle(self, row: Row[tuple[object, ...]]) -> Bundle:
        if row.hash not in self._parsed:
            self._parsed[row.hash] = parse_bundle(str(row.content), f"what this store has of {row.name!r}")
        return self._parsed[row.hash]

    def remove(self, name: str) -> bool:
        """Remove a bundle; return whether it was there."""
        with self._database.write() as connection:
            return bool(connection.execute(delete(table).where(table.c.name == name)).rowcount)


def _add(connection: Connection, bundle: Bundle, replace: bool) -> Imported:
    found = bundle_hash(bundle)
    there = connection.execute(select(table.c.hash).where(table.c.name == bundle.name)).scalar()
    if there == found:
        return Imported(bundle, "known")
    if there is not None and not replace:
        raise BadInput(
            f"this store has other results called {bundle.name!r}: --replace (replace=True in Python) puts these in "
            "their place."
        )
    connection.execute(delete(table).where(table.c.name == bundle.name))
    values = {"name": bundle.name, "hash": found, "added": time.time(), "content": bundle_text(bundle)}
    connection.execute(insert(table).values(values))
    return Imported(bundle, "new" if there is None else "replaced")
