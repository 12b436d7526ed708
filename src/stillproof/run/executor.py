"""The contract of an executor: what it is given to work on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from stillproof.core.plugins import Plugin
from stillproof.run.cell import Cell
from stillproof.run.stage import Options
from stillproof.store.store import Store

# Takes the status of all cells, and how much of each running one is done.
OnChange = Callable[[dict[str, str], dict[str, float]], None]


@dataclass(frozen=True)
class Work:
    """Cells that were entered into the store, in order of need, and all that computing them takes."""

    store: Store
    cells: Sequence[Cell]
    options: Options
    plugins: Sequence[Plugin]
    on_change: OnChange


class Executor(Protocol):
    """A way to finish work; it returns when every cell has ended, and gives back what it holds when it is stopped."""

    def __call__(self, work: Work) -> None:
        """Finish the work."""
        ...
