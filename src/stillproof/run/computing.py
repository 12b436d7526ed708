"""Computes one claimed cell, with a sign of life from time to time, and writes how it ended."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from stillproof.core.components import stages
from stillproof.core.errors import BadInput, Corrupt, LeaseLost, StillproofError, StoreError, Unsupported
from stillproof.core.provenance import provenance
from stillproof.core.repetitions import repeated
from stillproof.core.spec import digest
from stillproof.run.heartbeat import Heartbeat, StopAsked
from stillproof.run.stage import Answer, Job, Options, Stage
from stillproof.store.failure_text import ENDED, NOT_COMPUTED, failure_text
from stillproof.store.records import Record
from stillproof.store.store import Store

log = logging.getLogger("stillproof")

CHANGED = "its question in the database is not the one that it is named after: it was changed there; restore a copy"
LEFT = "pending"  # how a cell stands that was given back, or that another has now


@dataclass
class Computing:
    """The computation of one cell that ``owner`` has claimed.

    Args:
        store: The store.
        options: How to compute.
        owner: Who claimed it.
        cell: The cell.
        times: How often the same code will be used in this process, about.
        show: Takes the share that is done, and a few words on how it stands.
    """

    store: Store
    options: Options
    owner: str
    cell: Record
    times: float = 1.0
    show: Callable[[float, str], None] = lambda share, words: None
    _said: str = field(default="", init=False)
    _share: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        """Prepare the sign of life."""
        self._began = time.perf_counter()
        self._heartbeat = Heartbeat(
            self.store,
            self.cell.id,
            self.owner,
            lease_seconds=self.options.lease_seconds,
            limit_seconds=self.options.cell_limit,
        )

    def ask_to_stop(self) -> None:
        """Have the computation end soon: where it can be gone on from, or anywhere if that takes too long."""
        self._heartbeat.ask_to_stop()

    def run(self) -> str:
        """Compute the cell; return its state, or ``LEFT`` if it was given back or is another's now."""
        if digest(self.cell.spec) != self.cell.id:
            return self._settle(lambda: self._fail(CHANGED))
        stage: type[Stage] = stages.get(self.cell.stage)
        if missing := self._missing(stage):
            return self._settle(lambda: self._pass_on(missing))
        self.show(0.0, "")
        try:
            answer = self._answer(stage)
        except BaseException as error:
            if came_of_a_stop(error):
                raise
            if self._heartbeat.reason is not None:  # whatever came of it: the interruption may have been covered up
                return self._end_early(self._heartbeat.reason)
            return self._end_badly(error)
        return self._settle(lambda: self._finish(answer))

    def _missing(self, stage: type[Stage]) -> Record | None:
        """Return a cell whose answer would be needed, and which has none."""
        borne = ("done", "unsupported") if stage.bears_unsupported else ("done",)
        states = self.store.results.statuses(self.cell.needs)
        gone = next((need for need in self.cell.needs if need not in states), None)
        if gone is not None:
            raise StoreError(
                f"cell {gone[:12]}, which {self.cell.label} needs, was removed from the store by another process: "
                "give the command again."
            )
        found = next((need for need in self.cell.needs if states[need] not in borne), None)
        return None if found is None else self.store.results.get(found)

    def _answer(self, stage: type[Stage]) -> Answer:
        def report(share: float) -> None:
            self._share = share
            self._heartbeat.report(share)
            self.show(share, self._said)

        def say(words: str) -> None:
            self._said = words

        cell, beating = self.cell, self._heartbeat
        job = Job(
            cell.id, cell.spec, cell.where, self.store, self.options, report, say, beating.check, beating.must_stop
        )
        try:
            with self._heartbeat, repeated(max(1.0, self.times)):
                answer = stage.compute(job)
        finally:
            self._heartbeat.stop()  # also if an interruption hit while it was being stopped
        if not isinstance(answer, Answer):
            raise StillproofError(f"stage {cell.stage!r} answered with {type(answer).__name__}, not with an Answer.")
        return answer

    def _end_early(self, reason: StillproofError) -> str:
        """Leave a cell to whoever has it now, give it back, or record that it took too long."""
        if isinstance(reason, LeaseLost):
            log.warning("%s", reason)
            return LEFT
        if isinstance(reason, StopAsked):
            return self._settle(self._release)
        message = failure_text(str(reason))
        return self._settle(lambda: self._fail(message))

    def _end_badly(self, error: BaseException) -> str:
        """Record a cell that raised; the whole trace is kept, and the others go on."""
        if isinstance(error, Unsupported):
            why = str(error)
            return self._settle(lambda: self._unsupported(why))
        foreseen = isinstance(error, StillproofError)
        if isinstance(error, StoreError) and not isinstance(error, Corrupt):
            raise error  # no space, or read-only: the next cell would fare no better
        if not isinstance(error, (Exception, SystemExit)):
            raise error
        if not foreseen:
            log.warning("cell %s (%s) failed: %r", self.cell.id[:12], self.cell.label, error)
        message = failure_text(str(error) if foreseen else repr(error))
        return self._settle(lambda: self._fail(message))

    def _settle(self, write: Callable[[], str]) -> str:
        """Write how a cell ended, unless another process has taken it over."""
        try:
            return write()
        except LeaseLost as error:
            log.warning("%s", error)
            return LEFT

    def _finish(self, answer: Answer) -> str:
        record = provenance() | {"numerics": answer.numerics}
        try:
            self.store.claims.finish(
                self.cell.id,
                self.owner,
                answer.result,
                self._seconds(),
                record,
                artifacts=answer.artifacts,
                derived_from=answer.derived_from,
            )
        except (BadInput, TypeError, ValueError) as error:  # an answer that cannot be stored, such as NaN
            return self._fail(str(error))
        self.store.drop_scratch(self.cell.id)
        return "done"

    def _release(self) -> str:
        self.store.claims.release(self.cell.id, self.owner)
        return LEFT

    def _fail(self, error: str) -> str:
        self.store.claims.fail(self.cell.id, self.owner, error, self._seconds(), provenance())
        return "failed"

    def _seconds(self) -> float:
        return time.perf_counter() - self._began

    def _unsupported(self, reason: str) -> str:
        self.store.claims.unsupported(self.cell.id, self.owner, reason, provenance())
        return "unsupported"

    def _pass_on(self, missing: Record) -> str:
        """End a cell in the same way as the one that it needs, in the words of the one that failed first."""
        reason = (missing.error or "unknown").splitlines()[0]
        if not reason.startswith(NOT_COMPUTED):
            reason = f"{NOT_COMPUTED}{missing.label}{ENDED}{missing.status}: {reason}"
        ends = self._unsupported if missing.status == "unsupported" else self._fail
        return ends(reason)


def came_of_a_stop(error: BaseException) -> bool:
    """Say whether an error is an interruption, or covers one up that came while a lock was being taken."""
    before: BaseException | None = error
    while before is not None and not isinstance(before, KeyboardInterrupt):
        before = before.__cause__ or before.__context__
    return before is not None
