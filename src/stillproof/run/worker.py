"""One process's work on a plan: claim a cell that is ready, compute it, write its answer, until none is left."""

from __future__ import annotations

import contextlib
import logging
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence

from stillproof.core.components import stages
from stillproof.core.errors import BadInput, Corrupt, LeaseLost, StillproofError, StoreError, Unsupported
from stillproof.core.provenance import provenance
from stillproof.core.repetitions import repeated
from stillproof.run.cell import Cell
from stillproof.run.executor import OnChange
from stillproof.run.heartbeat import Heartbeat
from stillproof.run.stage import Answer, Job, Options, Stage
from stillproof.store.failure_text import ENDED, NOT_COMPUTED, failure_text
from stillproof.store.owner import worker_name
from stillproof.store.store import Store

log = logging.getLogger("stillproof")

OFFERED = 64  # ready cells offered to one claim
POLL_SECONDS = 0.5
REFRESH_SECONDS = 2.0
SHOW_SECONDS = 0.1
LEARNING_RATE = re.compile(":lr=[^:]*")  # in a recipe
FINISHED = ("done", "failed", "unsupported")


class Worker:
    """Works on a plan together with any number of others on the same store."""

    def __init__(
        self,
        store: Store,
        options: Options,
        cells: Sequence[Cell],
        on_change: OnChange = lambda *_: None,
        *,
        on_idle: Callable[[], None] = lambda: None,
        stop_at_failure: bool = False,
    ) -> None:
        """Prepare.

        Args:
            store: The store.
            options: How to compute.
            cells: The plan.
            on_change: Is told the status of all cells, and how each running one stands.
            on_idle: Is called again and again while others hold all that is left.
            stop_at_failure: Whether the first cell that fails ends the work.
        """
        self.store, self.options = store, options
        self._stop_at_failure = stop_at_failure
        self._on_change, self._on_idle = on_change, on_idle
        self._owner = ""  # has a name while it works
        self._cells = {cell.id: cell for cell in cells}
        self._open = dict(self._cells)  # those that are not finished
        self._alike = Counter(_kind(cell) for cell in cells)  # how many of these do the same kind of work
        self._status: dict[str, str] = {}
        self._said: dict[str, str] = {}  # the last words of the cell that is computed
        self._offered: list[str] = []
        self._lost: set[str] = set()  # cells that were taken from this worker
        self._refreshed = self._shown = 0.0

    def run(self) -> None:
        """Work until every cell of the plan is finished, here or elsewhere; if stopped, give back what was claimed."""
        with worker_name() as self._owner:
            self._run()

    def _run(self) -> None:
        try:
            self._refresh()
            while self._open and not self._must_stop():
                cell = self._claim()
                if cell is not None:
                    self._compute(cell)
                else:
                    self._on_idle()
                    time.sleep(POLL_SECONDS)
                if cell is None or time.monotonic() - self._refreshed > REFRESH_SECONDS:
                    self._refresh()
        except StoreError:
            with contextlib.suppress(StoreError):  # a store that cannot be written may not take this either
                self._give_back()
            raise
        except BaseException as error:
            if not _came_of_a_stop(error):
                raise
            self._give_back()
            raise KeyboardInterrupt from error
        self._on_change(self._status, {}, {})

    def _give_back(self) -> None:
        """Release a claim wherever the interruption hit: what was taken is among what was last offered."""
        for record in self.store.results.get_many(self._offered).values():
            if record.status == "running" and record.owner == self._owner:
                self.store.claims.release(record.id, self._owner)

    def _must_stop(self) -> bool:
        return self._stop_at_failure and "failed" in self._status.values()

    def _refresh(self) -> None:
        found = self.store.results.statuses(list(self._open))
        gone = next((cell for cell in self._open.values() if cell.id not in found), None)
        if gone is not None:
            raise StoreError(f"{gone.label} was removed from the store by another process: give the command again.")
        for name, status in found.items():
            self._set(name, status)
        self._refreshed = time.monotonic()
        self._show({})

    def _set(self, name: str, status: str) -> None:
        self._status[name] = status
        if status in FINISHED and (cell := self._open.pop(name, None)) is not None:
            self._alike[_kind(cell)] -= 1

    def _show(self, shares: dict[str, float]) -> None:
        if time.monotonic() - self._shown > SHOW_SECONDS:
            self._on_change(self._status, shares, self._said)
            self._shown = time.monotonic()

    def _claim(self) -> Cell | None:
        """Take a cell whose needs are met.

        Those that another holds are asked for last, in case it has died, and so are those that this worker lost:
        whoever frees a cell wants the others to go on.
        """
        free: list[str] = []
        held: list[str] = []
        for cell in self._open.values():
            if not any(need in self._open for need in cell.needs):
                later = self._status.get(cell.id) == "running" or cell.id in self._lost
                (held if later else free).append(cell.id)
            if len(free) == OFFERED:
                break
        self._offered = (free + held)[: 2 * OFFERED]
        found = (
            self.store.claims.claim(self._offered, self._owner, self.options.lease_seconds) if self._offered else None
        )
        return self._cells[found] if found else None

    def _compute(self, cell: Cell) -> None:
        self._began = time.perf_counter()
        stage: type[Stage] = stages.get(cell.stage)
        borne = ("done", "unsupported") if stage.bears_unsupported else ("done",)
        missing = next((need for need in cell.needs if self._status.get(need) not in borne), None)
        if missing:
            self._settle(cell, lambda: self._pass_on(cell, missing))
            return
        heartbeat = Heartbeat(
            self.store,
            cell.id,
            self._owner,
            lease_seconds=self.options.lease_seconds,
            limit_seconds=self.options.cell_limit,
        )
        self._said = {}
        self._set(cell.id, "running")
        self._show({cell.id: 0.0})
        try:
            answer = self._answer(cell, stage, heartbeat)
        except BaseException as error:
            if _came_of_a_stop(error):
                raise
            if heartbeat.reason is not None:  # whatever came of it: the interruption may have been covered up
                self._end_early(cell, heartbeat.reason)
            else:
                self._end_badly(cell, error)
        else:
            self._settle(cell, lambda: self._finish(cell, answer))

    def _answer(self, cell: Cell, stage: type[Stage], heartbeat: Heartbeat) -> Answer:
        """Compute a cell, with a sign of life from time to time."""

        def report(share: float) -> None:
            heartbeat.report(share)
            self._show({cell.id: share})

        def say(words: str) -> None:
            self._said = {cell.id: words}

        job = Job(cell.id, cell.spec, cell.where, self.store, self.options, report, say, heartbeat.check)
        times = max(1.0, self._alike[_kind(cell)] / self.options.processes)
        try:
            with heartbeat, repeated(times):
                answer = stage.compute(job)
        finally:
            heartbeat.stop()  # also if an interruption hit while it was being stopped
        if not isinstance(answer, Answer):
            raise StillproofError(f"stage {cell.stage!r} answered with {type(answer).__name__}, not with an Answer.")
        return answer

    def _end_early(self, cell: Cell, reason: StillproofError) -> None:
        """Leave a cell to whoever has it now, or record that it took too long."""
        if isinstance(reason, LeaseLost):
            self._lose(cell, reason)
            return
        message = failure_text(str(reason))
        self._settle(cell, lambda: self._fail(cell, message))

    def _end_badly(self, cell: Cell, error: BaseException) -> None:
        """Record a cell that raised; the whole trace is kept, and the others go on."""
        if isinstance(error, Unsupported):
            why = str(error)
            self._settle(cell, lambda: self._unsupported(cell, why))
            return
        foreseen = isinstance(error, StillproofError)
        if isinstance(error, StoreError) and not isinstance(error, Corrupt):
            raise error  # no space, or read-only: the next cell would fare no better
        if not isinstance(error, (Exception, SystemExit)):
            raise error
        if not foreseen:
            log.warning("cell %s (%s) failed: %r", cell.id[:12], cell.label, error)
        message = failure_text(str(error) if foreseen else repr(error))
        self._settle(cell, lambda: self._fail(cell, message))

    def _lose(self, cell: Cell, lost: LeaseLost) -> None:
        log.warning("%s", lost)
        self._lost.add(cell.id)

    def _settle(self, cell: Cell, write: Callable[[], str]) -> None:
        """Write how a cell ended, unless another process has taken it over."""
        try:
            self._set(cell.id, write())
        except LeaseLost as error:
            self._lose(cell, error)
        self._show({})

    def _finish(self, cell: Cell, answer: Answer) -> str:
        record = provenance() | {"numerics": answer.numerics}
        try:
            self.store.claims.finish(
                cell.id,
                self._owner,
                answer.result,
                self._seconds(),
                record,
                artifacts=answer.artifacts,
                derived_from=answer.derived_from,
            )
        except (BadInput, TypeError, ValueError) as error:  # an answer that cannot be stored, such as NaN
            return self._fail(cell, str(error))
        self.store.drop_scratch(cell.id)
        return "done"

    def _fail(self, cell: Cell, error: str) -> str:
        self.store.claims.fail(cell.id, self._owner, error, self._seconds(), provenance())
        return "failed"

    def _seconds(self) -> float:
        return time.perf_counter() - self._began

    def _unsupported(self, cell: Cell, reason: str) -> str:
        self.store.claims.unsupported(cell.id, self._owner, reason, provenance())
        return "unsupported"

    def _pass_on(self, cell: Cell, missing: str) -> str:
        """End a cell in the same way as the one that it needs, in the words of the one that failed first."""
        record = self.store.results.get(missing)
        reason = ((record and record.error) or "unknown").splitlines()[0]
        if not reason.startswith(NOT_COMPUTED):
            reason = f"{NOT_COMPUTED}{self._cells[missing].label}{ENDED}{self._status.get(missing)}: {reason}"
        ends = self._unsupported if self._status.get(missing) == "unsupported" else self._fail
        return ends(cell, reason)


def _kind(cell: Cell) -> tuple[object, ...]:
    """Return what cells have in common that the same compiled code serves.

    Its steps differ from stage to stage, and it is compiled for each number of images, so that other work is no less
    work for it. The optimiser's part of a step is not compiled: a search of learning rates shares all of its code.
    """
    recipe = LEARNING_RATE.sub("", str(cell.where.get("recipe", "")))
    return cell.stage, cell.flops, cell.where.get("dataset"), cell.where.get("network"), recipe


def _came_of_a_stop(error: BaseException) -> bool:
    """Say whether an error is an interruption, or covers one up that came while a lock was being taken."""
    before: BaseException | None = error
    while before is not None and not isinstance(before, KeyboardInterrupt):
        before = before.__cause__ or before.__context__
    return before is not None
