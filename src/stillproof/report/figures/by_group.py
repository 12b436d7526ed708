"""One figure per group of rows: names that tell them apart, and what holds for all of a figure's numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from stillproof.report.answers import Answered
from stillproof.report.captions import Basis
from stillproof.report.rows import images, one_set

Group = TypeVar("Group")
Shown = TypeVar("Shown")  # a kind of figure


def figures_by(
    name: str, groups: Mapping[tuple[Any, ...], list[Answered]], make: Callable[[list[Answered]], Shown]
) -> dict[str, Shown]:
    """Return a figure of each group that has an answer; names tell them apart where there are several groups."""
    return figures_of(name, groups, lambda rows: any(row.summary() is not None for row in rows), make)


def figures_of(
    name: str,
    groups: Mapping[tuple[Any, ...], Group],
    has_answer: Callable[[Group], bool],
    make: Callable[[Group], Shown],
) -> dict[str, Shown]:
    """Return a figure of each group of anything that has an answer, under names as those of ``figures_by``."""
    there = {key: group for key, group in groups.items() if has_answer(group)}
    return {figure_name(name, key if len(groups) > 1 else ()): make(group) for key, group in there.items()}


def figure_name(name: str, parts: Sequence[Any]) -> str:
    """Return a name that is good for a file."""
    return "-".join([name, *(re.sub(r"[^A-Za-z0-9.]+", "-", str(part)).strip("-") for part in parts)])


def basis_of(rows: Sequence[Answered], *keys: str) -> Basis:
    """Return what holds for all rows; of ``keys``, what all of them share."""
    first = rows[0]
    shared = [key for key in keys if all(row[key] == first[key] for row in rows)]
    words = [images(first[key]) if key == "ipc" else str(first[key]) for key in shared]
    recipes = list(dict.fromkeys(str(row["recipe"]) for row in rows if row["recipe"]))
    words += [f"recipe {recipes[0]}"] if len(recipes) == 1 else []
    words += [f"scale {first['scale']}"] if first["scale"] else []
    words += [said] if (said := one_set(str(row["method"]) for row in rows if row["set"])) else []
    return Basis(str(first["protocol"] or ""), str(first["selection"] or ""), "; ".join(words))
