"""Merges another store into this one: cells, artifacts, pools, runs and imported results, each by its id or name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Row, select, update

from stillproof.core.errors import BadInput, StoreError
from stillproof.core.spec import Json
from stillproof.store.claims import FRESH
from stillproof.store.damage import with_derived
from stillproof.store.database import chunks
from stillproof.store.foreign_rows import ForeignCell, ForeignMember, Refused, cleaned, foreign_cell, foreign_member
from stillproof.store.holders import OVERDUE
from stillproof.store.links import ANSWERED, holder
from stillproof.store.merge_artifacts import ArtifactMerge
from stillproof.store.merge_runs import RunMerge
from stillproof.store.pools import check_name
from stillproof.store.records import BEFORE
from stillproof.store.schema import artifacts, cells, pool_members
from stillproof.store.store import Store
from stillproof.store.strict_json import from_text

_OF_AN_ANSWER = ("status", "progress", "started", "finished", "seconds", "result", "error", "provenance")
_ANSWER = (*_OF_AN_ANSWER, "artifacts", "derived_from")
_UNHELD = {"owner": None, "lease_until": None, "attempts": 0}
TOGETHER = 100  # cells in one transaction: others wait for it

LONGEST = 300  # letters that say where an answer came from

Cells = Mapping[str, ForeignCell]
Counted = Callable[[ForeignCell], str | None]


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
        refused: Why cells of that store cannot be right, by id; their answers did not come.
        refused_runs: Why runs, and imported results, of that store cannot be right.
        lost: Why artifacts cannot be read there, by id.
        without: Cells whose answers did not come, since what they stand on is lost or refused there, or differs here;
            likewise.
        busy: Cells that are computed here right now, so that their answers did not come; likewise.
        renamed: What runs are called here, by their names there, which ours have.
        unnamed: Names of artifacts there which ours have; those came without a name.
        misnamed: Names of artifacts there that no folder could have; likewise.
        differing: Names of imported results under which ours has others, which stay.
    """

    answers: list[str]
    known: int
    runs: int
    artifacts: list[str]
    bytes: int
    conflicts: dict[str, str]
    refused: dict[str, str]
    refused_runs: list[str]
    lost: dict[str, str]
    without: dict[str, str]
    busy: dict[str, str]
    renamed: dict[str, str]
    unnamed: list[str]
    misnamed: list[str]
    differing: list[str]

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


def merge(store: Store, other: Store, counted: Counted) -> Merged:
    """Bring all that another store has and this one has not, as far as it can be right; that one stays as it is.

    Cells come first, as questions, then artifacts, then the answers that stand on them, and runs at last. So whatever
    is here is whole, wherever this was stopped, and merging again brings the rest.

    Args:
        store: This store.
        other: The other one, opened with ``open_other``.
        counted: Counts an answer of the other store again from what it stands on, and says why it cannot be right;
            raises ``Corrupt`` where that cannot be read.

    Raises:
        BadInput: Both are the same.
    """
    if Path(other.shown).resolve() == Path(store.shown).resolve():
        raise BadInput(f"{other.shown} is this store itself: name another.")
    theirs, refused = _foreign_cells(other)
    ours = _cells(store, list(theirs))
    answered = {name: cell for name, cell in theirs.items() if cell.status in ANSWERED}
    known = {name for name in answered if name in ours and ours[name].status in ANSWERED}
    conflicts = [name for name in answered if name in known and not _same_answer(ours[name], theirs[name])]
    origins = {name: cell.derived_from for name, cell in answered.items()}
    differ = with_derived(conflicts, origins)
    wanted = {name: cell for name, cell in answered.items() if name not in known and name not in set(differ)}
    unread, wrong = _count_again(wanted, counted)
    doubted = _with_readers([*unread, *wrong, *refused], wanted) & theirs.keys()
    wanted = {name: cell for name, cell in wanted.items() if name not in doubted}
    _enter(store, [cell for name, cell in theirs.items() if name not in ours])
    brought = ArtifactMerge(store, other, theirs)
    sought = [*wanted, *unread]  # what cannot be read is told as lost
    brought.bring_own(but=_made(answered, [*differ, *doubted]) - _made(answered, sought))
    for artifact in sorted(_made(answered, sought)):
        brought.bring(artifact)
    brought.write()
    broken = [name for name, cell in wanted.items() if brought.lost.keys() & set(cell.artifacts)]
    without = set(with_derived(broken, origins))
    whole = {name: cell for name, cell in wanted.items() if name not in without}
    stayed = [name for name in answered if name not in known and name not in whole and name not in wrong]
    came, busy = _answer(store, whole, other.shown)
    _merge_pools(store, other)
    runs_came = RunMerge(store, other)
    differing, unread_results = store.bundles.bring(other.bundles)
    return Merged(
        answers=came,
        known=len(known),
        runs=runs_came.came,
        artifacts=brought.came,
        bytes=brought.bytes,
        conflicts=_in_words(theirs, conflicts),
        refused=refused | {name: f"{said}: {wrong[name]}" for name, said in _in_words(theirs, wrong).items()},
        refused_runs=[*runs_came.refused, *unread_results],
        lost=brought.lost,
        without=_in_words(theirs, stayed),
        busy=_in_words(theirs, busy),
        renamed=runs_came.renamed,
        unnamed=brought.unnamed,
        misnamed=brought.misnamed,
        differing=differing,
    )


def _foreign_cells(other: Store) -> tuple[Cells, dict[str, str]]:
    """Return the cells of another store that can be right, by id, and why others cannot be."""
    found: dict[str, ForeignCell] = {}
    refused: dict[str, str] = {}
    with other.database.read() as connection:
        for row in connection.execute(select(cells)):
            try:
                cell = foreign_cell(row._asdict())
                found[cell.id] = cell
            except Refused as error:
                name = cleaned(str(row.id))[:64]
                refused[name] = f"cell {name[:12]}: {error}"
    return found, refused


def _count_again(wanted: Cells, counted: Counted) -> tuple[list[str], dict[str, str]]:
    """Return the cells whose answers stand on what cannot be read, and why those of others are wrong."""
    unread, wrong = list[str](), dict[str, str]()
    for name, cell in wanted.items():
        try:
            why = counted(cell)
        except StoreError:  # of an artifact, which is told when it is to be brought
            unread.append(name)
            continue
        if why is not None:
            wrong[name] = why
    return unread, wrong


def _with_readers(doubted: Sequence[str], cells: Cells) -> set[str]:
    """Return cells and all that read them, directly or not."""
    readers: dict[str, list[str]] = {}
    for name, cell in cells.items():
        for read in cell.reads:
            readers.setdefault(read, []).append(name)
    found, left = set[str](), list(doubted)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += readers.get(name, ())
    return found


def _cells(store: Store, ids: Sequence[str]) -> dict[str, Row[Any]]:
    """Return the cells of this store with these ids, as the table has them."""
    with store.database.read() as connection:
        found = (connection.execute(select(cells).where(cells.c.id.in_(part))) for part in chunks(ids))
        return {row.id: row for rows in found for row in rows}


def _in_words(cells: Cells, names: Iterable[str]) -> dict[str, str]:
    """Return what cells are called in plans, by id."""
    return {name: str(cells[name].where.get("label") or f"{cells[name].stage} {name[:12]}") for name in names}


def _made(cells: Cells, names: Iterable[str]) -> set[str]:
    """Return the artifacts that the answers of cells name."""
    return {made for name in names for made in cells[name].made}


def _enter(store: Store, new: Sequence[ForeignCell]) -> None:
    """Enter cells as questions without an answer; those that failed say why."""
    values = [cell.columns() | (_UNHELD if cell.status == "failed" else FRESH) for cell in new]
    for start in range(0, len(values), TOGETHER):
        with store.database.write() as connection:
            store.database.insert_new(connection, cells, values[start : start + TOGETHER])


def _answer(store: Store, answers: Cells, origin: str) -> tuple[list[str], list[str]]:
    """Write answers of cells that have none; return those, and those that are computed here right now."""
    came: list[str] = []
    busy: list[str] = []
    for part in chunks(list(answers), TOGETHER):
        with store.database.write() as connection:
            for here in connection.execute(select(cells, OVERDUE).where(cells.c.id.in_(part))).all():
                if holder(here) is not None:
                    busy.append(here.id)
                elif here.status not in ANSWERED:  # somebody may have been faster
                    columns = answers[here.id].columns()
                    values = {name: columns[name] for name in _ANSWER} | {"origin": _from(origin, columns["origin"])}
                    connection.execute(update(cells).where(cells.c.id == here.id).values(values | _UNHELD))
                    came.append(here.id)
    return came, busy


def _from(origin: str, before: str | None) -> str:
    """Return where an answer came from: the store that it was merged from and, if it came to that one, from where."""
    return (origin if before is None else f"{origin}{BEFORE}{cleaned(before)}")[:LONGEST]


def _same_answer(one: Row[Any], other: ForeignCell) -> bool:
    """Compare what two finished cells answer: the artifacts, which are named by their content, and what is said."""
    if one.status != other.status:
        return False
    named = from_text(one.artifacts) or []
    return sorted(named) == sorted(other.artifacts) and _said(from_text(one.result)) == _said(other.result)


def _said(result: Json | None) -> Json:
    return {key: value for key, value in (result or {}).items() if not _is_measured(key)}


def _is_measured(key: str) -> bool:
    """Say whether a number says how an answer came about: no two computations agree in it."""
    return key in ("peak_bytes", "notes") or "seconds" in key


def _member(row: Mapping[str, Any]) -> ForeignMember | None:
    """Return what is in a pool; nothing if the pool has no name."""
    try:
        found = foreign_member(row)
        check_name(found.pool)
    except (Refused, BadInput):
        return None
    return found


def _merge_pools(store: Store, other: Store) -> None:
    """Put into our pools what is in those of the same names there, as far as it is here by now."""
    with other.database.read() as connection:
        theirs = [_member(row._asdict()) for row in connection.execute(select(pool_members))]
    rows = [one.model_dump() for one in theirs if one is not None]
    with store.database.write() as connection:
        here = set(connection.execute(select(artifacts.c.id)).scalars())
        store.database.insert_new(connection, pool_members, [row for row in rows if row["artifact"] in here])
