"""Which settings of a suite would make it cheaper, found by planning it again with each of them changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from stillproof.core.components import suites
from stillproof.core.errors import StillproofError
from stillproof.core.given_params import NONE
from stillproof.core.spec import Json
from stillproof.run.cell import Cell
from stillproof.run.plan import Planner
from stillproof.suites.requests import Row

WORTHWHILE = 0.01  # of the whole; less is not worth a line
NEW = 0.01  # of what is left that a cut may ask for in addition; more is another question


@dataclass(frozen=True, slots=True)
class Cut:
    """A parameter of a suite, another value for it, and the share of the cost that this saves."""

    parameter: str
    before: Any
    after: Any
    saves: float


def cuts_of(planner: Planner, suite: str, config: Json, cost: Callable[[Cell], float]) -> list[Cut]:
    """Return the changes of one parameter that save most, the best first.

    Args:
        planner: Has planned the suite.
        suite: The suite.
        config: Its parameters, all of them.
        cost: What a cell costs; nothing, if its answer is there.
    """
    asked = {name: cost(cell) for name, cell in planner.cells.items()}
    total = sum(asked.values())
    found = []
    for parameter, before in config.items():
        for after in smaller(before):
            left = _cost_of(planner, suite, {**config, parameter: after}, cost, asked)
            if left is not None and total - left >= WORTHWHILE * total > 0:
                found.append(Cut(parameter, before, after, 1 - left / total))
    return sorted(found, key=lambda cut: -cut.saves)


def smaller(value: Any) -> Iterator[Any]:
    """Yield what a parameter could be instead: half of a number, a list without one of its values, ``none``.

    Of several numbers only the largest is worth leaving out.
    """
    if isinstance(value, int) and not isinstance(value, bool) and value > 1:
        yield (value + 1) // 2
    elif isinstance(value, list) and len(value) > 1:
        numbers = all(isinstance(one, int | float) for one in value)
        yield from ([other for other in value if other != one] for one in ([max(value)] if numbers else value))
    elif value is None or (isinstance(value, str) and value):  # what has no ``none`` is refused when it is planned
        yield NONE


def _cost_of(
    planner: Planner, suite: str, config: Json, cost: Callable[[Cell], float], asked: Mapping[str, float]
) -> float | None:
    """Return what the suite costs under another configuration; nothing if it asks for much that was not asked before.

    What the suite refuses is no way to save either.
    """
    most = NEW * sum(asked.values())
    try:
        first = _asked_for(planner, suites.build(suite, config).rows(), cost, most)
    except StillproofError:
        return None
    needed = closure(planner.cells, first)
    new = sum(cost(planner.cells[name]) for name in needed if name not in asked)
    left = new + sum(asked[name] for name in needed if name in asked)
    return left if first and new <= NEW * left else None


def _asked_for(planner: Planner, rows: Iterable[Row], cost: Callable[[Cell], float], most: float) -> list[str]:
    """Return the cells that rows ask for; none as soon as new ones cost more than ``most``: planning takes time."""
    found: list[str] = []
    new = 0.0
    for row in rows:
        known = len(planner.cells)
        found += [name for planned in planner.rows([row]) for name in planned["cells"]]
        if len(planner.cells) > known:
            new += sum(cost(cell) for cell in islice(planner.cells.values(), known, None))
            if new > most:
                return []
    return found


def closure(cells: Mapping[str, Cell], first: Iterable[str]) -> Collection[str]:
    """Return the cells that some of them need, directly or not, and these themselves."""
    found: dict[str, None] = {}
    waiting: Sequence[str] = list(dict.fromkeys(first))
    while waiting:
        found |= dict.fromkeys(waiting)
        needed = dict.fromkeys(need for name in waiting for need in cells[name].needs)
        waiting = [name for name in needed if name not in found]
    return found
