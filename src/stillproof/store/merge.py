"""Merges another store into this one: cells, artifacts, pools, runs and imported results, each by its id or name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.store.claims import FRESH
from stillproof.store.damage import with_derived
from stillproof.store.database import chunks
from stillproof.store.holders import OVERDUE
from stillproof.store.links import ANSWERED, holder, named_in
from stillproof.store.merge_artifacts import ArtifactMerge
from stillproof.store.schema import artifacts, cells, pool_members, runs
from stillproof.store.store import Store
from stillproof.store.strict_json import from_text

_OF_AN_ANSWER = ("status", "progress", "started", "finished", "seconds", "result", "error", "provenance")
_ANSWER = (*_OF_AN_ANSWER, "artifacts", "derived_from")
_UNHELD = {"owner": None, "lease_until": None, "attempts": 0}
_MEASURED = ("seconds", "peak_bytes", "notes")  # how an answer came about: no two computations agree in it
TOGETHER = 100  # cells in one transaction: others wait for it

Rows = Mapping[str, Row[Any]]


@dataclass(frozen=True, slots=True)
class Merged:
    """What came from another store, and what did not.

    Args:
        answers: Cells whose answers came.
        known: How many of its answers were here already.
        runs: How many of its runs and single calls came.
        artifacts: Artifacts that came.
        bytes: Size of their files.
        conflicts: Cells that have another answer there, in words by id; ours stay.
        lost: Why artifacts cannot be read there, by id.
        without: Cells whose answers did not come, since what they stand on is lost there, or differs here; likewise.
        busy: Cells that are computed here right now, so that their answers did not come; likewise.
        renamed: What runs are called here, by their names there, which ours have.
        unnamed: Names of artifacts there which ours have; those came without a name.
        differing: Names of imported results under which ours has others, which stay.
    """

    answers: list[str]
    known: int
    runs: int
    artifacts: list[str]
    bytes: int
    conflicts: dict[str, str]
    lost: dict[str, str]
    without: dict[str, str]
    busy: dict[str, str]
    renamed: dict[str, str]
    unnamed: list[str]
    differing: list[str]

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


def merge(store: Store, other: Store) -> Merged:
    """Bring all that another store has and this one has not; that one stays as it is.

    Cells come first, as questions, then artifacts, then the answers that stand on them, and runs at last. So whatever
    is here is whole, wherever this was stopped, and merging again brings the rest.

    Raises:
        BadInput: Both are the same.
    """
    if Path(other.shown).resolve() == Path(store.shown).resolve():
        raise BadInput(f"{other.shown} is this store itself: name another.")
    theirs = _cells(other)
    ours = _cells(store, list(theirs))
    answered = {name: row for name, row in theirs.items() if row.status in ANSWERED}
    known = {name for name in answered if name in ours and ours[name].status in ANSWERED}
    conflicts = [name for name in answered if name in known and not _same_answer(ours[name], theirs[name])]
    origins = {name: from_text(row.derived_from) or [] for name, row in answered.items()}
    differ = with_derived(conflicts, origins)
    needless = {*known, *differ}
    wanted = {name: row for name, row in answered.items() if name not in needless}
    _enter(store, [row for name, row in theirs.items() if name not in ours])
    brought = ArtifactMerge(store, other)
    brought.bring_own(but=_made(theirs, differ) - _made(theirs, wanted))
    for artifact in sorted(_made(theirs, wanted)):
        brought.bring(artifact)
    broken = [name for name, row in wanted.items() if brought.lost.keys() & named_in(row.artifacts)]
    without = set(with_derived(broken, origins))
    whole = {name: row for name, row in wanted.items() if name not in without}
    stayed = [name for name in answered if name not in known and name not in whole]
    came, busy = _answer(store, whole)
    _merge_pools(store, other)
    asked, renamed = _merge_runs(store, other)
    return Merged(
        answers=came,
        known=len(known),
        runs=asked,
        artifacts=brought.came,
        bytes=brought.bytes,
        conflicts=_in_words(theirs, conflicts),
        lost=brought.lost,
        without=_in_words(theirs, stayed),
        busy=_in_words(theirs, busy),
        renamed=renamed,
        unnamed=brought.unnamed,
        differing=store.bundles.bring(other.bundles),
    )


def _cells(store: Store, ids: Sequence[str] | None = None) -> dict[str, Row[Any]]:
    """Return the cells with these ids, or all, as the table has them."""
    with store.database.read() as connection:
        if ids is None:
            return {row.id: row for row in connection.execute(select(cells))}
        found = (connection.execute(select(cells).where(cells.c.id.in_(part))) for part in chunks(ids))
        return {row.id: row for rows in found for row in rows}


def _in_words(rows: Rows, names: Sequence[str]) -> dict[str, str]:
    """Return what cells are called in plans, by id."""
    return {name: str(from_text(rows[name].where).get("label") or f"{rows[name].stage} {name[:12]}") for name in names}


def _made(rows: Rows, names: Mapping[str, Any] | Sequence[str]) -> set[str]:
    """Return the artifacts that the answers of cells name."""
    return {made for name in names for made in named_in(rows[name].result, rows[name].artifacts)}


def _enter(store: Store, rows: Sequence[Row[Any]]) -> None:
    """Enter cells as questions without an answer; those that failed say why."""
    values = [{**row._mapping, **(_UNHELD if row.status == "failed" else FRESH)} for row in rows]
    for start in range(0, len(values), TOGETHER):
        with store.database.write() as connection:
            store.database.insert_new(connection, cells, values[start : start + TOGETHER])


def _answer(store: Store, rows: Rows) -> tuple[list[str], list[str]]:
    """Write answers of cells that have none; return those, and those that are computed here right now."""
    came: list[str] = []
    busy: list[str] = []
    for part in chunks(list(rows), TOGETHER):
        with store.database.write() as connection:
            for here in connection.execute(select(cells, OVERDUE).where(cells.c.id.in_(part))).all():
                if holder(here) is not None:
                    busy.append(here.id)
                elif here.status not in ANSWERED:  # somebody may have been faster
                    values = {name: rows[here.id]._mapping[name] for name in _ANSWER}
                    connection.execute(update(cells).where(cells.c.id == here.id).values(values | _UNHELD))
                    came.append(here.id)
    return came, busy


def _same_answer(one: Row[Any], other: Row[Any]) -> bool:
    """Compare what two finished cells answer.

    An answer that stands on artifacts is the same if these are, since they are named by their content.
    """
    if one.status != other.status:
        return False
    named = from_text(one.artifacts), from_text(other.artifacts)
    return named[0] == named[1] if any(named) else _said(one) == _said(other)


def _said(row: Row[Any]) -> dict[str, Any]:
    return {key: value for key, value in (from_text(row.result) or {}).items() if key not in _MEASURED}


def _merge_pools(store: Store, other: Store) -> None:
    """Put into our pools what is in those of the same names there, as far as it is here by now."""
    with other.database.read() as connection:
        theirs = [dict(row._mapping) for row in connection.execute(select(pool_members))]
    with store.database.write() as connection:
        here = set(connection.execute(select(artifacts.c.id)).scalars())
        store.database.insert_new(connection, pool_members, [row for row in theirs if row["artifact"] in here])


def _merge_runs(store: Store, other: Store) -> tuple[int, dict[str, str]]:
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
