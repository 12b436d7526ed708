"""Keeps a claim alive while its cell is computed, and ends a worker whose parent is gone."""

from __future__ import annotations

import logging
import os
import threading
from types import TracebackType
from typing import Self

from stillproof.core.errors import StillproofError
from stillproof.store.store import Store

log = logging.getLogger("stillproof")

LEASE_SECONDS = 60.0
BEAT_SECONDS = 2.0


class Heartbeat:
    """Renews the lease of one cell in the background, with the share of it that is done."""

    def __init__(self, store: Store, cell_id: str, owner: str, *, follow_parent: bool) -> None:
        """Prepare; ``follow_parent`` ends this process when its parent has died."""
        self.share = 0.0
        self._store, self._cell, self._owner = store, cell_id, owner
        self._parent = os.getppid() if follow_parent else None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def report(self, share: float) -> None:
        """Take the share that is done; written with the next beat."""
        self.share = share

    def __enter__(self) -> Self:
        """Start beating."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop beating."""
        self._stop.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._stop.wait(BEAT_SECONDS):
            if self._parent is not None and os.getppid() != self._parent:
                os._exit(1)  # killed with its parent: whoever runs the command again takes the cell over
            try:
                self._store.claims.renew(self._cell, self._owner, LEASE_SECONDS, self.share)
            except StillproofError as error:
                # Not fatal here: whether the answer still counts is decided when it is written.
                log.warning("the claim on cell %s was not renewed: %s", self._cell[:12], error)
