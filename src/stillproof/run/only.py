"""Chooses cells of a plan by a pattern; what they need comes along."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.run.cell import Cell


def only(cells: dict[str, Cell], rows: Sequence[Json], pattern: str) -> dict[str, Cell]:
    """Return the cells of the rows whose method matches, those whose label does, and what all of these need.

    A pattern matches whole words, as in ``dm``, ``'seed 0'`` or ``'train convnet-*'``, where ``*`` stands for any
    letters. A method also matches by its name alone, without its parameters.

    Raises:
        BadInput: Nothing matches.
    """
    words = re.compile(rf"(?<!\S){'.*'.join(map(re.escape, pattern.split('*')))}(?!\S)")
    by_method = [row for row in rows if _is(words, str(row.get("method", "")))]
    chosen = {cell for row in by_method for cell in row["cells"]}
    chosen |= {cell.id for cell in cells.values() if words.search(cell.label)}
    if not chosen:
        known = ", ".join(dict.fromkeys(str(row["method"]) for row in rows if row.get("method"))) or "none"
        raise BadInput(f"--only {pattern!r} matches no cell of this plan, whose methods are: {known}.")
    for cell in reversed(cells.values()):  # a plan is in order of need, so whatever needs a cell is met before it
        if cell.id in chosen:
            chosen.update(cell.needs)
    return {name: cell for name, cell in cells.items() if name in chosen}


def _is(words: re.Pattern[str], method: str) -> bool:
    return any(words.fullmatch(text) for text in (method, method.partition(":")[0]))
