"""Says what a run waits for, where it may be for ever."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection

from stillproof.store.holders import silent_holders
from stillproof.store.store import Store

log = logging.getLogger("stillproof")

LOOK_SECONDS = 5.0


class Waiting:
    """Names, once each, the cells of a plan that are held by a living process which gives no sign of life."""

    def __init__(self, store: Store, cells: Callable[[], Collection[str]]) -> None:
        """Prepare to look at the cells that are told then."""
        self._store, self._cells = store, cells
        self._said: set[str] = set()
        self._looked = time.monotonic()

    def look(self) -> None:
        """Look, if it is time."""
        if time.monotonic() - self._looked < LOOK_SECONDS:
            return
        self._looked = time.monotonic()
        found = silent_holders(self._store.database)
        cells = self._cells() if found else ()
        for silent in found:
            if silent.cell in cells and silent.cell not in self._said:
                self._said.add(silent.cell)
                log.warning("waiting: %s", silent.sentence())
