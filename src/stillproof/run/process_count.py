"""How many processes a plan is worth, where nobody said."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from stillproof.run.cell import Cell
from stillproof.run.rates import FLOPS_PER_SECOND

WORTHWHILE_SECONDS = 30.0  # of work; starting processes takes some seconds
MOST = 8  # each takes about a gigabyte


def workers_for(cells: Iterable[Cell], device: str) -> int:
    """Return one process per core if there is enough to do, since small cells cannot use several; one for a GPU."""
    seconds = sum(cell.flops for cell in cells) / FLOPS_PER_SECOND
    if device != "cpu" or seconds < WORTHWHILE_SECONDS:
        return 1
    return min(cores(), MOST)


def cores() -> int:
    """Return the cores that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
