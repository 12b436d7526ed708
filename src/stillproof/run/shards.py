"""Deals a plan into shards, each of which is computed on a store of its own, without a database between them."""

from __future__ import annotations

import heapq
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from stillproof.core.errors import BadInput
from stillproof.core.spec import Json, canonical_json
from stillproof.run.cell import Cell

MOST_SHARDS = 10_000
SHARED = "shared"
_ABOUT = ("dataset", "method", "ipc", "network")  # what rows that are dealt as one agree in, beside the seed


@dataclass(frozen=True, slots=True)
class Shard:
    """One of ``of`` shards, counted from 1; without a number, what several of these need."""

    number: int | None
    of: int

    def __str__(self) -> str:
        """Return it as people write it."""
        return f"{self.number or SHARED}/{self.of}"


@dataclass(frozen=True, slots=True)
class Dealt:
    """What a shard is to compute of a plan.

    Args:
        own: Its own cells, in order of need.
        needed: Cells that it needs, and other shards, too.
        left: How many cells are in no shard.
    """

    own: Sequence[str]
    needed: Collection[str]
    left: int


def shard_of(text: str) -> Shard:
    """Return the shard that is written as ``3/40`` or ``shared/40``.

    Raises:
        BadInput: There is none.
    """
    meant = re.fullmatch(rf"({SHARED}|[0-9]{{1,9}})/([0-9]{{1,9}})", text)
    if meant is None:
        raise BadInput(f"--shard {text!r} is no shard: write 3/40 for the third of 40, or {SHARED}/40.")
    number, of = (None if meant[1] == SHARED else int(meant[1])), int(meant[2])
    if not 1 <= of <= MOST_SHARDS:
        raise BadInput(f"--shard {text} asks for {of} shards: there can be 1 to {MOST_SHARDS:,}.")
    if number is not None and not 1 <= number <= of:
        raise BadInput(f"--shard {text} is none of the shards 1/{of} to {of}/{of}, or {SHARED}/{of}.")
    return Shard(number, of)


def dealt_to(cells: Mapping[str, Cell], rows: Sequence[Json], shard: Shard) -> Dealt:
    """Return what a shard is to compute of a plan.

    Args:
        cells: The cells, in order of need, as they are planned without any answer: so everywhere the same.
        rows: The rows of the plan.
        shard: The shard.
    """
    where = deal(cells, rows, shard.of)
    own = [cell for cell, number in where.items() if number == shard.number]
    mine, needed = set(own), set[str]()
    for cell in reversed(where):
        if cell in mine or cell in needed:
            needed.update(need for need in cells[cell].needs if need not in mine)
    return Dealt(own, needed, len(cells) - len(where))


def deal(cells: Mapping[str, Cell], rows: Sequence[Json], shards: int) -> dict[str, int | None]:
    """Return the shard of each cell, in order of need: its number, or nothing for what several shards need.

    What rests on one set stands in one shard, and so do cells without a set whose rows agree in data set, method,
    images per class, network and seed. Cells that rest on several sets, that measure time, that are still open, or
    that need such, are in no shard.
    """
    sets = _sets(cells)
    units = _units(cells, sets, _rows_of(rows))
    work: dict[str, list[float]] = {}
    for cell, meant in units.items():
        for unit in meant:
            work.setdefault(unit, []).extend([cells[cell].flops] if len(meant) == 1 else [])
    placed = _placed({unit: fsum(flops) for unit, flops in work.items()}, shards)
    found: dict[str, int | None] = {}
    for cell in sets:
        numbers = {placed[unit] for unit in units[cell]}
        found[cell] = numbers.pop() if len(numbers) == 1 else None
    return found


def _sets(cells: Mapping[str, Cell]) -> dict[str, str]:
    """Return the set that each cell rests on, if it rests on any, of the cells that can be in a shard.

    Sets that are made of others, such as labels by a teacher, belong to those.
    """
    found: dict[str, str] = {}
    for name, cell in cells.items():
        if cell.open or cell.alone or any(need not in found for need in cell.needs):
            continue
        sets = {found[need] for need in cell.needs if found[need]}
        if len(sets) < 2:
            found[name] = sets.pop() if sets else name if cell.images is not None else ""
    return found


def _rows_of(rows: Iterable[Json]) -> dict[str, set[str]]:
    """Return what the rows are about that ask for a cell, by cell."""
    found: dict[str, set[str]] = {}
    for row in rows:
        about = {key: row[key] for key in _ABOUT if key in row}
        for seed, cell in enumerate(row["cells"]):
            found.setdefault(cell, set()).add(canonical_json({**about, "seed": seed}))
    return found


def _units(
    cells: Mapping[str, Cell], sets: Mapping[str, str], rows: Mapping[str, set[str]]
) -> dict[str, Collection[str]]:
    """Return what is dealt as one, by cell: its set; without one, all that it is asked for by; else the cell itself."""
    found: dict[str, Collection[str]] = {}
    wanted: dict[str, set[str]] = {}
    for cell in reversed(list(sets)):  # whatever needs a cell is met before it
        found[cell] = {sets[cell]} if sets[cell] else (wanted.pop(cell, set()) | rows.get(cell, set())) or {cell}
        for need in cells[cell].needs:
            if not sets[need]:
                wanted.setdefault(need, set()).update(found[cell])
    return found


def _placed(work: Mapping[str, float], shards: int) -> dict[str, int]:
    """Return the shard of each unit: the largest first, each into the shard that has least to do by then."""
    loads = [(0.0, 0, number) for number in range(1, shards + 1)]
    found: dict[str, int] = {}
    for unit in sorted(work, key=lambda unit: (-work[unit], unit)):
        load, count, found[unit] = loads[0]
        heapq.heapreplace(loads, (load + work[unit], count + 1, found[unit]))
    return found
