"""Keeps a claim alive while its cell is computed, and ends the computation if the claim is lost or the time is up."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from types import FrameType, TracebackType
from typing import Self

from stillproof.core.amounts import duration, seconds_in
from stillproof.core.errors import LeaseLost, StillproofError
from stillproof.run.stage import LEASE_SECONDS
from stillproof.store.store import Store

log = logging.getLogger("stillproof")

LEASE_VARIABLE = "STILLPROOF_LEASE"
BEAT_SECONDS = 2.0
BEATS_IN_A_LEASE = 4  # at least
# A computation ends where it says how far it is; only if it is silent for so long, it is interrupted anywhere.
GRACE_SECONDS = 5.0
STOP_GRACE_SECONDS = 20.0  # where it ends with a checkpoint: schedulers kill half a minute after they have asked
WAKE = signal.SIGURG  # nobody uses it, and where no handler is set it does nothing


def lease_seconds() -> float:
    """Return how long a worker may be silent before one of another machine takes its cell over."""
    text = os.environ.get(LEASE_VARIABLE)
    return LEASE_SECONDS if text is None else seconds_in(text, LEASE_VARIABLE)


class Ended(BaseException):
    """The cell has to end now. It is no ``Exception``, so that no component takes it for trouble of its own."""


class StopAsked(StillproofError):
    """The worker was asked to stop, so that its cell is given back."""


class Heartbeat:
    """Renews the lease of one cell in the background, with the share of it that is done.

    ``reason`` says why the computation had to end, if it had to: the claim was lost, or it took longer than its limit.
    """

    def __init__(
        self,
        store: Store,
        cell_id: str,
        owner: str,
        *,
        lease_seconds: float = LEASE_SECONDS,
        limit_seconds: float | None = None,
    ) -> None:
        """Prepare; nothing is renewed before ``with``."""
        self.share = 0.0
        self.reason: StillproofError | None = None
        self._store, self._cell, self._owner = store, cell_id, owner
        self._lease, self._limit = lease_seconds, limit_seconds
        self._began = self._told = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._computing = threading.get_ident()
        self._interruptible = threading.current_thread() is threading.main_thread()  # only there signals are handled
        self._quiet = False  # whether the store's trouble was said

    def report(self, share: float) -> None:
        """Take the share that is done; written with the next beat. Raises ``Ended`` if the computation is to end."""
        self.share = share
        if self.reason is not None:
            raise Ended

    def ask_to_stop(self) -> None:
        """Have the computation end where it says how far it is, or anywhere if it is silent."""
        if self.reason is None:
            self.reason = StopAsked("the worker was asked to stop.")

    def must_stop(self) -> bool:
        """Say whether the computation is to end for a reason that leaves the cell to be gone on with."""
        return isinstance(self.reason, StopAsked)

    def check(self) -> None:
        """Raise ``Ended`` unless the cell is still ours: whoever was stopped for long may not know yet."""
        try:
            self._store.claims.check(self._cell, self._owner)
        except LeaseLost as lost:
            self.reason = lost
        if not self.must_stop():  # then this is the checkpoint that it goes on from
            self.report(self.share)

    def __enter__(self) -> Self:
        """Start beating."""
        self._began = time.monotonic()
        if self._interruptible:
            self._before = signal.signal(WAKE, self._interrupt)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop beating."""
        self.stop()

    def stop(self) -> None:
        """Stop beating; again, it does nothing."""
        self._stop.set()
        self._thread.join()
        if self._interruptible:
            signal.signal(WAKE, self._before)

    def _beat(self) -> None:
        while not self._stop.wait(self._pause()):
            if self.reason is None and self._limit is not None and time.monotonic() - self._began >= self._limit:
                self.reason = StillproofError(
                    f"it took longer than {duration(self._limit)}, the limit for one cell: with a higher one "
                    "(--cell-limit), the same command tries it again, from its last checkpoint if it has any."
                )
            if not isinstance(self.reason, LeaseLost):
                self._renew()
            if self.reason is not None:
                self._wake()

    def _pause(self) -> float:
        pause = min(BEAT_SECONDS, self._lease / BEATS_IN_A_LEASE)
        if self._limit is None or self.reason is not None:
            return pause
        return min(pause, max(0.0, self._began + self._limit - time.monotonic()))

    def _renew(self) -> None:
        # Other trouble is not fatal here: whether the answer still counts is decided when it is written.
        try:
            self._store.claims.renew(self._cell, self._owner, self._lease, self.share)
            self._quiet = False
        except LeaseLost as lost:
            self.reason = lost
        except StillproofError as error:
            if not self._quiet:
                log.warning("the claim on cell %s was not renewed: %s", self._cell[:12], error)
            self._quiet = True

    def _wake(self) -> None:
        """Interrupt a computation that was told to end by its reports, but makes none."""
        now = time.monotonic()
        self._told = self._told or now
        grace = STOP_GRACE_SECONDS if self.must_stop() else GRACE_SECONDS
        if self._interruptible and now - self._told >= grace:
            self._told = now  # once may be lost, as where Python ignores what is raised
            signal.pthread_kill(self._computing, WAKE)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.reason is not None and not self._stop.is_set():
            raise Ended
