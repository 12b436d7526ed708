"""The contract of an executor: what it is given to work on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from stillproof.core.errors import StoreError
from stillproof.core.plugins import Plugin
from stillproof.run.cell import Cell
from stillproof.run.stage import Options
from stillproof.store.store import Store

PROCESS_BYTES = 1.5e9  # of a worker with torch and a data set

# Takes the status of all cells, how much of each running one is done, and what some of these have to say.
OnChange = Callable[[dict[str, str], dict[str, float], dict[str, str]], None]


@dataclass(frozen=True)
class Work:
    """Cells that were entered into the store, in order of need, and all that computing them takes.

    ``plan`` is the number under which the store knows them.
    """

    store: Store
    plan: int
    cells: Sequence[Cell]
    options: Options
    plugins: Sequence[Plugin]
    on_change: OnChange
    stop_at_failure: bool = False
    run: str = ""  # what `stillproof work --run` calls it; nothing for a single call

    def ids(self) -> list[str]:
        """Return the ids of the cells."""
        return [cell.id for cell in self.cells]

    def gigabytes(self) -> float:
        """Return the memory that the largest cell is expected to take, with its process, rounded up."""
        return float(math.ceil((PROCESS_BYTES + max((cell.memory for cell in self.cells), default=0.0)) / 1e9))

    def watch(self, status: dict[str, str], shares: dict[str, float], said: dict[str, str]) -> None:
        """Show how the cells stand; others that a worker has entered into the plan since are not shown.

        Raises:
            StoreError: One of them is not there any more.
        """
        gone = next((cell for cell in self.cells if cell.id not in status), None)
        if gone is not None:
            raise StoreError(f"{gone.label} was removed from the store by another process: give the command again.")
        own = {cell.id: status[cell.id] for cell in self.cells}
        shown = {cell: share for cell, share in shares.items() if cell in own}
        self.on_change(own, shown, {cell: words for cell, words in said.items() if cell in own})

    def must_stop(self) -> bool:
        """Say whether a cell has failed, and that is to end the work."""
        if not self.stop_at_failure:
            return False
        return self.store.plans.counts(self.plan)["failed"] > 0


class Executor:
    """Base of all executors: a subclass is a frozen dataclass of how to start workers, registered under its name.

    Whatever starts them, workers find in the store what there is to do (``Worker``, ``stillproof work``).
    """

    # Whether workers were only submitted when it returns, to somebody who starts them when he can.
    submits: ClassVar[bool] = False

    def execute(self, work: Work) -> None:
        """Finish the work, or submit it.

        Without ``submits`` it returns when every cell has ended, and gives back what it holds when it is stopped. Work
        that is to stop at a failure ends with the first cell that fails; what is computed beside it is given back.

        Raises:
            BadInput: It cannot be used here, such as without the package that it needs.
        """
        raise NotImplementedError
