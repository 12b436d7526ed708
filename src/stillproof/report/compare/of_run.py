"""The methods of a run as contenders: rows that agree in everything but the method are set side by side."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from typing import Any

from stillproof.core.errors import BadInput
from stillproof.core.protocol import FAIR
from stillproof.core.spec import Json
from stillproof.report.compare.contender import contender, tested_networks
from stillproof.report.compare.match import Match
from stillproof.report.runs import trained_rows
from stillproof.report.stale import stale_cells, stale_notes
from stillproof.store.records import Run
from stillproof.store.store import Store

NOT_ABOUT = ("method", "cells", "reason", "set", "caveat")
MAY_DIFFER = ("ipc", "recipe", "protocol")  # where nothing agrees in these too, as with full data


def methods_of(run: Run) -> list[str]:
    """Return the methods that a run asked about."""
    return list(dict.fromkeys(str(row["method"]) for row in run.rows if row.get("method")))


def matches_of_run(
    store: Store, run: Run, names: Sequence[str], sections: Collection[str] | None = None
) -> tuple[list[Match], list[str]]:
    """Return every two rows of two of the methods that can be compared, and notes on those that have no answers yet.

    Raises:
        BadInput: There are none.
    """
    every = trained_rows(store, run, sections)
    asked = [row for row in every if row["method"] in names]
    stale = stale_cells(store, [cell for row in asked for cell in row["cells"]])
    rows = [row | {"cells": [cell for cell in row["cells"] if cell not in stale]} for row in every]
    found: list[Match] = []
    notes: list[str] = stale_notes(list(stale.values()))
    for first, second in itertools.combinations(names, 2):
        sides = ([row for row in rows if row["method"] == name] for name in (first, second))
        pairs = _side_by_side(*sides)
        if not pairs:
            raise BadInput(
                f"run {run.id} of {run.suite!r} has no rows of {first} and {second} that agree in everything else."
            )
        for one, other in pairs:
            match = _match(store, one, other)
            if match is not None:
                found.append(match)
            else:
                notes.append(f"Missing: {first} or {second} has no result yet for {_words(one)}.")
    if shared := _one_set_for_all_seeds([row for row in rows if row["method"] in names]):
        notes.insert(0, f"One set for all seeds: {', '.join(shared)}; seeds vary the training, not the set.")
    if not found:
        older = f" ({len(stale)} are of an earlier version of Stillproof: run it again)" if stale else ""
        raise BadInput(
            f"run {run.id} of {run.suite!r} has no finished trainings of {' and '.join(names)} to compare{older}."
        )
    return found, notes


def _one_set_for_all_seeds(rows: Sequence[Json]) -> list[str]:
    """Return the methods whose seeds share a set: sets that were there before, and all but under ``fair``."""
    alike = [
        row for row in rows if row.get("set") or ((row.get("protocol") or FAIR) != FAIR and row.get("ipc") is not None)
    ]
    return list(dict.fromkeys(str(row["method"]) for row in alike))


def _side_by_side(first: Sequence[Json], second: Sequence[Json]) -> list[tuple[Json, Json]]:
    """Return the rows that agree in everything but the method, or else in everything but what may differ."""
    for ignored in (NOT_ABOUT, (*NOT_ABOUT, *MAY_DIFFER)):
        pairs = [(one, other) for one in first for other in second if _rest(one, ignored) == _rest(other, ignored)]
        if pairs:
            return pairs
    return []


def _match(store: Store, first: Json, second: Json) -> Match | None:
    sides = [(row, tested_networks(store, row["cells"])) for row in (first, second)]
    if not all(networks for _, networks in sides):
        return None
    one, other = (contender(row["method"], networks, **_rest(row, NOT_ABOUT)) for row, networks in sides)
    return Match(one, other)


def _rest(row: Json, ignored: Sequence[str]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in ignored}


def _words(row: Json) -> str:
    return ", ".join(
        f"{key} {row[key]}" for key in ("section", "dataset", "network", "ipc") if row.get(key) is not None
    )
