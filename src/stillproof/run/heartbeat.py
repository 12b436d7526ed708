"""Keeps a claim alive while its cell is computed."""

from __future__ import annotations

import logging
import threading
from types import TracebackType
from typing import Self

from stillproof.core.errors import LeaseLost, StillproofError
from stillproof.store.store import Store

log = logging.getLogger("stillproof")

LEASE_SECONDS = 60.0
BEAT_SECONDS = 2.0


class Heartbeat:
    """Renews the lease of one cell in the background, with the share of it that is done."""

    def __init__(self, store: Store, cell_id: str, owner: str) -> None:
        """Prepare; nothing is renewed before ``with``."""
        self.share = 0.0
        self._store, self._cell, self._owner = store, cell_id, owner
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
        # Trouble is not fatal here: whether the answer still counts is decided when it is written.
        quiet = False
        while not self._stop.wait(BEAT_SECONDS):
            try:
                self._store.claims.renew(self._cell, self._owner, LEASE_SECONDS, self.share)
                quiet = False
            except LeaseLost:
                return
            except StillproofError as error:
                if not quiet:
                    log.warning("the claim on cell %s was not renewed: %s", self._cell[:12], error)
                quiet = True
