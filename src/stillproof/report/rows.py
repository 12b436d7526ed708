"""How answered rows are grouped and paired, and what the notes below their tables say of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from stillproof.report.answers import Answered
from stillproof.report.stale import stale_notes
from stillproof.report.tables.table import Difference
from stillproof.score.difference import difference_of_shares
from stillproof.store.failure_text import ENDED, NOT_COMPUTED

Rows = Mapping[str, Sequence[Answered]]  # by section
Values = Sequence[float | None]  # one per seed

FULL, RANDOM = "full", "random"
REAL = "real"  # what rows that say so have as ``images``: all real images, whatever the method


def by_section(rows: Iterable[Answered], usual: str = "") -> Rows:
    """Return the rows of each section, in their order; those that name no section belong to the ``usual`` one."""
    found: dict[str, list[Answered]] = {}
    for row in rows:
        found.setdefault(str(row["section"] or usual), []).append(row)
    return found


def grouped(rows: Iterable[Answered], *keys: str) -> dict[tuple[Any, ...], list[Answered]]:
    """Return rows that agree in ``keys``, in the order in which each group is first met."""
    found: dict[tuple[Any, ...], list[Answered]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def complete(*columns: Values) -> list[tuple[float, ...]]:
    """Return the values of those seeds that have one in every column."""
    seeds = zip(*columns, strict=False)  # some questions are asked of more seeds than others
    known = [tuple(value for value in seed if value is not None) for seed in seeds]
    return [values for values in known if len(values) == len(columns)]


def paired(first: Values, second: Values, images: int | None = None) -> Difference | None:
    """Return by how much the first is above the second, seed by seed.

    Args:
        first: A number of each seed.
        second: The same of what is subtracted.
        images: If both are shares of as many test images, their number, so that the interval knows of these, too.
    """
    seeds = complete(first, second)
    if not seeds:
        return None
    one, other = zip(*seeds, strict=True)
    return Difference(difference_of_shares(one, other, images))


def above(first: Answered, second: Answered, name: str = "accuracy", counted: str = "n_test") -> Difference | None:
    """Return by how much a share of images in the first row is above that in the second, seed by seed.

    Args:
        first: A row.
        second: The one that is subtracted; if it asks for the very same cells, there is no difference by definition.
        name: What answers call the share.
        counted: What they call the number of images.
    """
    same = bool(first.cells) and first.cells == second.cells
    return paired(first.values(name), second.values(name), None if same else common_count((first, second), counted))


def common_count(rows: Iterable[Answered | None], counted: str = "n_test") -> int | None:
    """Return the number of images that all answers of some rows have; nothing, if they do not say or differ."""
    answered = [row for row in rows if row is not None and row.missing < len(row.results)]
    counts = {row.counted(counted) for row in answered}
    return counts.pop() if len(counts) == 1 else None


def missing_notes(rows: Iterable[Answered]) -> list[str]:
    """Say which sets were there before, what is missing and why."""
    rows = list(rows)
    waiting = sum(row.waiting for row in rows)
    notes = [f"Missing: {waiting} not computed yet."] if waiting else []
    reasons = _one_for_each_cause(sorted({reason for row in rows for reason in row.reasons}))
    return [
        *set_notes(rows),
        *notes,
        *stale_notes([component for row in rows for component in row.stale]),
        *(f"Missing: {reason}" for reason in reasons),
    ]


def _one_for_each_cause(reasons: Sequence[str]) -> list[str]:
    """Return reasons with those that only name another cell together; the first cell stands for all of them."""
    named: dict[str, list[str]] = {}  # cells by what befell them
    for reason in reasons:
        cell, befell, cause = reason.removeprefix(NOT_COMPUTED).partition(ENDED)
        told = reason.startswith(NOT_COMPUTED) and befell
        named.setdefault(befell + cause if told else reason, []).extend([cell] if told else [])
    return [
        f"{NOT_COMPUTED}{cells[0]}{f' and {len(cells) - 1} more' * (len(cells) > 1)}{befell}" if cells else befell
        for befell, cells in named.items()
    ]


def set_notes(rows: Sequence[Answered]) -> list[str]:
    """Say which sets were there before, and what to keep in mind of them."""
    ids = {str(row["method"]): str(row["set"])[:12] for row in rows if row["set"]}
    sets = one_set([f"{name} (artifact {artifact})" for name, artifact in ids.items()])
    caveats = grouped((row for row in rows if row["caveat"]), "caveat")
    told = [
        f"{', '.join(dict.fromkeys(row['method'] for row in group))}: {what}." for (what,), group in caveats.items()
    ]
    return [*([f"{sets[0].upper()}{sets[1:]}."] if sets else []), *told]


def one_set(names: Iterable[str]) -> str:
    """Say of which methods all seeds train on one set, since that was there before; nothing if there are none."""
    listed = ", ".join(dict.fromkeys(names))
    return f"one set for all seeds: {listed}" if listed else ""


def images(ipc: int | None) -> str:
    """Return a number of images per class in words."""
    return "all images" if ipc is None else f"{ipc} image{'s' * (ipc != 1)} per class"
