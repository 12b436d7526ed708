"""One process's work on plans: claim a cell that is ready, compute it, write its answer, until none is left."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from stillproof.core.errors import StoreError
from stillproof.run.computing import LEFT, Computing, came_of_a_stop
from stillproof.run.executor import OnChange
from stillproof.run.kinds import kind_of_work
from stillproof.run.machine_lock import machine
from stillproof.run.queue import Queue
from stillproof.run.stage import Options
from stillproof.store.owner import worker_name
from stillproof.store.plans import ENDED
from stillproof.store.records import Record
from stillproof.store.store import Store

log = logging.getLogger("stillproof")

POLL_SECONDS = 0.5
REFRESH_SECONDS = 2.0
LOOKING = 20.0  # times as long as it takes to look how a large plan stands, nobody looks again
SHOW_SECONDS = 0.1
COUNTED_SECONDS = 30.0  # for which a number of cells of one kind is taken as it was
SAID_SECONDS = 5.0  # of waiting for this machine before it is said


def _nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True)
class Duties:
    """What a worker does besides computing.

    Args:
        on_change: Is told the status of all cells of the first plan, and how each running one stands; without it,
            nobody asks.
        on_idle: Is called again and again while others hold all that is left.
        on_plan_end: Is called when nothing is ready, and says whether that has brought more to do.
        may_compute: Says whether a cell may be computed here, by code that is what its name says.
        stays: Whether the work lasts until every cell has ended, or until nothing is left that it could do.
        stop_at_failure: Plans that are left alone from the first cell on that fails.
        takes_last: Whether it computes what measures time, and what needs that.
    """

    on_change: OnChange | None = None
    on_idle: Callable[[], None] = _nothing
    on_plan_end: Callable[[str], bool] = lambda owner: False
    may_compute: Callable[[Record], bool] = lambda cell: True
    stays: bool = True
    stop_at_failure: Collection[int] = ()
    takes_last: bool = True


class Worker:
    """Works on plans together with any number of others on the same store."""

    def __init__(self, store: Store, options: Options, plans: Sequence[int], duties: Duties | None = None) -> None:
        """Prepare to work on plans that were entered into the store."""
        self.store, self.options, self._duties = store, options, duties or Duties()
        self.queue = Queue(store, plans, options.device, takes_last=self._duties.takes_last)
        self.computed = 0  # cells
        self._owner = ""  # has a name while it works
        self._offered: list[str] = []
        self._first = self.queue.plans[0] if plans else None  # whose cells are shown
        self._computing: Computing | None = None
        self._stopping = False
        self._status: dict[str, str] = {}
        self._counted: dict[tuple[int, str], tuple[float, int]] = {}  # when, and how many were left of a kind
        self._refreshed = self._shown = 0.0
        self._pause = REFRESH_SECONDS
        self._waited: float | None = None  # since when others keep this machine from it

    def run(self) -> None:
        """Work until the work is over; if stopped, give back what was claimed."""
        plan = self.queue.plans[0] if len(self.queue.plans) == 1 else None
        with worker_name() as self._owner, self.store.workers.entered(self._owner, plan):
            self._run()

    def ask_to_stop(self) -> None:
        """Have it end soon, with a checkpoint of what it computes; signal handlers may call this."""
        self._stopping = True
        if self._computing is not None:
            self._computing.ask_to_stop()

    def _run(self) -> None:
        try:
            self._refresh()
            while not self._stopping and self._has_plans():
                if not self._step() and not self._wait():
                    break
                if time.monotonic() - self._refreshed > self._pause:
                    self._refresh()
        except StoreError:
            with contextlib.suppress(StoreError):  # a store that cannot be written may not take this either
                self._give_back()
            raise
        except BaseException as error:
            if not came_of_a_stop(error):
                raise
            self._give_back()
            raise KeyboardInterrupt from error
        self._shown = 0.0
        self._refresh()

    def _give_back(self) -> None:
        """Release a claim wherever the interruption hit: what was taken is among what was last offered."""
        for record in self.store.results.get_many(self._offered).values():
            if record.status == "running" and record.owner == self._owner:
                self.store.claims.release(record.id, self._owner)

    def _refresh(self) -> None:
        """Look how the work stands, as far as somebody wants to know, and say that this worker is there."""
        self.store.workers.see(self._owner)
        began = time.monotonic()
        if self._duties.on_change and self._first is not None:
            self._status = self.store.plans.statuses(self._first)
            self._show({}, {})
        self._refreshed = time.monotonic()
        self._pause = max(REFRESH_SECONDS, LOOKING * (self._refreshed - began))

    def _has_plans(self) -> bool:
        """Leave plans that are to end with the first failure, where there is one; say whether another is left."""
        for plan in self._duties.stop_at_failure:
            if plan in self.queue.plans and self.store.plans.counts(plan)["failed"]:
                self.queue.plans.remove(plan)
        return bool(self.queue.plans)

    def _show(self, shares: dict[str, float], said: dict[str, str]) -> None:
        if self._duties.on_change and time.monotonic() - self._shown > SHOW_SECONDS:
            self._duties.on_change(self._status, shares, said)
            self._shown = time.monotonic()

    def _step(self) -> bool:
        """Compute a cell; say whether there was one."""
        offer = self.queue.offer()
        if offer is None:
            return False
        with machine(alone=offer.last) as is_free:
            if not is_free:
                self._wait_for_machine(offer.last)
                return True
            self._waited = None
            self._offered = offer.cells
            found = self.store.claims.claim(offer.cells, self._owner, self.options.lease_seconds)
            cell = self.store.results.get(found) if found else None
            if cell is not None:
                self._compute(offer.plan, cell)
        return cell is not None

    def _wait_for_machine(self, alone: bool) -> None:
        """Wait until time can be measured here, or until others have measured it; say so once."""
        now = time.monotonic()
        self._waited = self._waited or now
        if 0 < now - self._waited >= SAID_SECONDS:
            what = "to measure time alone" if alone else "which measures time alone"
            log.info("waiting until other work of this machine has ended, %s.", what)
            self._waited = float("inf")
        time.sleep(POLL_SECONDS)

    def _compute(self, plan: int, cell: Record) -> None:
        self._has_plans()
        if plan not in self.queue.plans:  # what needs a cell that failed is ready from then on
            self.store.claims.release(cell.id, self._owner)
            return
        if not self._duties.may_compute(cell):
            self.queue.refused.add(cell.id)
            self.store.claims.release(cell.id, self._owner)
            return
        times = self._left_alike(plan, cell) / self.options.processes
        computing = Computing(self.store, self.options, self._owner, cell, times, self._shown_for(cell))
        self._computing = computing
        if self._stopping:  # it was asked just now
            computing.ask_to_stop()
        try:
            state = computing.run()
        finally:
            self._computing = None
        if state == LEFT:
            self.queue.lost.add(cell.id)
        self.computed += state in ENDED
        self._status[cell.id] = state
        self._show({}, {})

    def _shown_for(self, cell: Record) -> Callable[[float, str], None]:
        def show(share: float, words: str) -> None:
            self._status[cell.id] = "running"
            self._show({cell.id: share}, {cell.id: words} if words else {})

        return show

    def _left_alike(self, plan: int, cell: Record) -> int:
        """Return how many cells of the same kind are left, this one too, about."""
        kind = kind_of_work(cell.stage, cell.where)
        when, left = self._counted.get((plan, kind), (0.0, 0))
        if time.monotonic() - when > COUNTED_SECONDS:
            when, left = time.monotonic(), self.store.plans.left_of_kind(plan, kind)
        self._counted[plan, kind] = when, left - 1
        return max(1, left)

    def _wait(self) -> bool:
        """Wait for others, or bring in more to do; say whether there may be any."""
        if self._duties.on_plan_end(self._owner):
            return True
        if self.queue.is_done() if self._duties.stays else not self.queue.may_get_more():
            return False
        self._duties.on_idle()
        self._refresh()
        time.sleep(POLL_SECONDS)
        return True
