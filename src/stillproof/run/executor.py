"""The contract of an executor: what it is given to work on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from stillproof.core.plugins import Plugin
from stillproof.run.cell import Cell
from stillproof.run.stage import Options
from stillproof.store.store import Store

# Takes the status of all cells, how much of each running one is done, and what some of these have to say.
OnChange = Callable[[dict[str, str], dict[str, float], dict[str, str]], None]


@dataclass(frozen=True)
class Work:
    """Cells that were entered into the store, in order of need, and all that computing them takes."""

    store: Store
    cells: Sequence[Cell]
    options: Options
    plugins: Sequence[Plugin]
    on_change: OnChange
    stop_at_failure: bool = False

    def must_stop(self) -> bool:
        """Say whether a cell has failed, and that is to end the work."""
        if not self.stop_at_failure:
            return False
        return "failed" in self.store.results.statuses([cell.id for cell in self.cells]).values()


class Executor(Protocol):
    """A way to finish work; it returns when every cell has ended, and gives back what it holds when it is stopped.

    Work that is to stop at a failure ends with the first cell that fails; what is computed beside it is given back.
    """

    def __call__(self, work: Work) -> None:
        """Finish the work."""
        ...
