"""What the figures of beard share: which models stand in one figure and one panel, and what holds for all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from stillproof.report.answers import Answered
from stillproof.report.beard.alarms import NOT_CHECKED, alarms_on
from stillproof.report.beard.assessed import Assessed
from stillproof.report.captions import Basis
from stillproof.report.figures.by_group import basis_of
from stillproof.report.measure import Measure
from stillproof.report.rows import Rows

UNDER_ATTACK = Measure("accuracy under attack", "%", 0.0, 1.0)


def by_figure(found: Iterable[Assessed]) -> dict[tuple[Any, ...], list[Assessed]]:
    """Return what stands in one figure: all of a data set and network."""
    groups: dict[tuple[Any, ...], list[Assessed]] = {}
    for one in found:
        groups.setdefault((one.row["dataset"], one.row["network"]), []).append(one)
    return groups


def panels_of(found: Sequence[Assessed]) -> dict[str, list[Assessed]]:
    """Return what stands in one panel: all of the same size and mode; models of all real images stand in each."""
    panels: dict[str, list[Assessed]] = {}
    for one in found:
        if one.row["ipc"] is not None:
            panels.setdefault(f"{one.row['mode']}, ipc {one.sizes}", []).append(one)
    for one in found:
        if one.row["ipc"] is None:
            for title, group in panels.items():
                if title.startswith(f"{one.row['mode']},"):
                    group.append(one)
    return panels


def basis_for(found: Sequence[Assessed], every: Rows) -> Basis:
    """Return what holds for all models, with the alarms on them that are among all rows."""
    return attacked_basis([row for one in found for row in one.rows()], every)


def attacked_basis(rows: Sequence[Answered], every: Rows) -> Basis:
    """Return what holds for some rows: the number of test images, and the alarms on their models among all rows."""
    basis = basis_of(rows, "dataset", "network", "ipc")
    counts = {answer["n"] for row in rows for answer in row.results if answer is not None and "n" in answer}
    told = [f"{counts.pop()} test images"] if len(counts) == 1 else []
    alarms = alarms_on(every, rows)
    told.append("not checked for alarms" if alarms == NOT_CHECKED else f"alarms on {alarms} models")
    return dataclasses.replace(basis, about="; ".join((basis.about, *told)))
