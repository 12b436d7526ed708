"""One process's work on a plan: claim a cell that is ready, compute it, write its answer, until none is left."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from stillproof.core.errors import LeaseLost, StillproofError, Unsupported
from stillproof.core.provenance import provenance
from stillproof.core.spec import Json
from stillproof.run.distill_cell import compute_distill
from stillproof.run.heartbeat import LEASE_SECONDS, Heartbeat
from stillproof.run.plan import Cell
from stillproof.run.select_cell import compute_select
from stillproof.run.train_cell import compute_train
from stillproof.run.world import Answer, Options, World
from stillproof.store.owner import this_owner
from stillproof.store.store import Store

log = logging.getLogger("stillproof")

Compute = Callable[[str, Json, Json, World], Answer]
STAGES: dict[str, Compute] = {"distill": compute_distill, "train": compute_train, "select": compute_select}

OFFERED = 64  # ready cells offered to one claim
POLL_SECONDS = 0.5
REFRESH_SECONDS = 2.0
FINISHED = ("done", "failed", "unsupported")


@dataclass
class Worker:
    """Works on a plan together with any number of others on the same store."""

    store: Store
    options: Options
    cells: Sequence[Cell]
    follow_parent: bool = False
    on_change: Callable[[dict[str, str], dict[str, float]], None] = lambda *_: None
    _status: dict[str, str] = field(default_factory=dict)

    def run(self) -> None:
        """Work until every cell of the plan is finished, here or elsewhere."""
        self._owner = this_owner()
        self._by_id = {cell.id: cell for cell in self.cells}
        self._refresh()
        while len(self._open()) > 0:
            cell = self._claim()
            if cell is not None:
                self._compute(cell)
            else:
                time.sleep(POLL_SECONDS)
                self._refresh()
            if time.monotonic() - self._refreshed > REFRESH_SECONDS:
                self._refresh()
        self.on_change(self._status, {})

    def _open(self) -> list[Cell]:
        return [cell for cell in self.cells if self._status.get(cell.id) not in FINISHED]

    def _refresh(self) -> None:
        ids = [cell.id for cell in self._open()] if self._status else [cell.id for cell in self.cells]
        self._status.update(self.store.results.statuses(ids))
        self._refreshed = time.monotonic()
        self.on_change(self._status, {})

    def _claim(self) -> Cell | None:
        ready: list[str] = []
        for cell in self._open():
            needs = [self._status.get(need, "pending") for need in cell.needs]
            if all(status in FINISHED for status in needs):
                ready.append(cell.id)
            if len(ready) == OFFERED:
                break
        found = self.store.claims.claim(ready, self._owner, LEASE_SECONDS) if ready else None
        return self._by_id[found] if found else None

    def _compute(self, cell: Cell) -> None:
        missing = next((n for n in cell.needs if self._status.get(n) != "done"), None)
        if missing:
            self._settle(
                cell, lambda: self._fail(cell, f"not computed: the cell that it needs, {missing[:12]}, failed.")
            )
            return
        heartbeat = Heartbeat(self.store, cell.id, self._owner, follow_parent=self.follow_parent)

        def report(share: float) -> None:
            heartbeat.report(share)
            self.on_change(self._status, {cell.id: share})

        started = time.perf_counter()
        self._status[cell.id] = "running"
        report(0.0)
        try:
            with heartbeat:
                answer = STAGES[cell.stage](cell.id, cell.spec, cell.where, World(self.store, self.options, report))
        except KeyboardInterrupt:
            self.store.claims.release(cell.id, self._owner)
            raise
        except Unsupported as reason:
            why = str(reason)
            self._settle(cell, lambda: self._unsupported(cell, why))
        except StillproofError as error:
            message = str(error)
            self._settle(cell, lambda: self._fail(cell, message))
        except Exception as error:  # a cell's fault must not stop the others; the whole trace is kept
            log.warning("cell %s (%s) failed: %r", cell.id[:12], cell.label, error)
            trace = f"{error!r}\n{traceback.format_exc()}"
            self._settle(cell, lambda: self._fail(cell, trace))
        else:
            seconds = time.perf_counter() - started
            self._settle(cell, lambda: self._finish(cell, answer, seconds))

    def _settle(self, cell: Cell, write: Callable[[], str]) -> None:
        """Write how a cell ended, unless another process has taken it over."""
        try:
            self._status[cell.id] = write()
        except LeaseLost as error:
            log.warning("%s", error)
        self.on_change(self._status, {})

    def _finish(self, cell: Cell, answer: Answer, seconds: float) -> str:
        record = provenance() | {"numerics": answer.numerics}
        self.store.claims.finish(cell.id, self._owner, result=answer.result, seconds=seconds, provenance=record)
        self.store.drop_scratch(cell.id)
        return "done"

    def _fail(self, cell: Cell, error: str) -> str:
        self.store.claims.fail(cell.id, self._owner, error=error, provenance=provenance())
        return "failed"

    def _unsupported(self, cell: Cell, reason: str) -> str:
        self.store.claims.unsupported(cell.id, self._owner, reason=reason)
        return "unsupported"
