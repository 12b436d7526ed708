"""A worker that has nothing but the address of a store, the data and the folder of artifacts."""

from __future__ import annotations

import dataclasses
import logging
import signal
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from stillproof.core.errors import BadInput
from stillproof.core.plugins import load_plugins
from stillproof.core.spec import Json
from stillproof.report.runs import run_meant
from stillproof.run.code_check import CodeCheck
from stillproof.run.this_process import prepare
from stillproof.run.waiting import Waiting
from stillproof.run.worker import Duties, Worker
from stillproof.store.plans import ENDED, PlanState
from stillproof.store.records import Record
from stillproof.verbs.rounds import Rounds
from stillproof.verbs.running import Running

log = logging.getLogger("stillproof")

STOPS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)  # what schedulers send before they kill
MOST_REFUSED = 200  # cells, after which a worker of other code gives up


@dataclasses.dataclass(frozen=True)
class WorkDone:
    """What a worker has done.

    Args:
        computed: How many cells it has computed.
        refused: Why it has left others alone, each reason once, and how many cells each is of.
        stopped: Why it stopped before nothing was left; nothing if it did not.
        left: How many cells of its plans have not ended.
    """

    computed: int
    refused: Mapping[str, int]
    stopped: str
    left: int

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        return dataclasses.asdict(self)


class Working(Running):
    """Works on runs that were planned, with any number of others."""

    def work(
        self,
        run: str | None = None,
        *,
        seconds: float | None = None,
        threads: int | None = None,
        allowed_plugins: Collection[str] = (),
    ) -> WorkDone:
        """Compute cells of runs that were planned, until nothing is left that could be done here.

        Args:
            run: The run, by number, name or hash; without one, all that are unfinished, the oldest first.
            seconds: Stop after so long, with a checkpoint of what is being computed.
            threads: Threads of torch.
            allowed_plugins: Hashes of plug-ins of the store that may be run, besides those that this session has.

        Raises:
            BadInput: There is no such plan; it needs a plug-in that is not allowed; or the code here is other code.
        """
        plans = self._plans(run)
        self._load_plugins(plans, allowed_plugins, named=run is not None)
        ids = [plan.id for plan in plans if self._has_plugins(plan)]
        checked = _Checked()
        prepare(self.device, threads)
        options = dataclasses.replace(self.options, threads=threads, processes=self._others())
        strict = [plan.id for plan in plans if plan.id in ids and (plan.question or {}).get("stop_at_failure")]
        duties = Duties(
            on_idle=Waiting(self.store, lambda: self._states_of(ids)).look,
            on_plan_end=Rounds(self.store, self._planned_again, ids),
            may_compute=checked.may_compute,
            stays=False,
            stop_at_failure=strict,
        )
        worker = Worker(self.store, options, ids, duties)
        checked.stop = worker.ask_to_stop
        with _told_to_stop(worker.ask_to_stop, seconds) as why:
            if ids:
                worker.run()
        if not why and (ended := [plan.run for plan in plans if plan.id in strict and self._has_failed(plan)]):
            why.append(f"a cell of run {ended[0]} failed, which ends it with -x")
        left = sum(state not in ENDED for state in self._states_of(ids).values())
        if checked.reasons and not worker.computed and not why:
            raise BadInput(f"nothing can be computed here: {next(iter(checked.reasons))}.")
        return WorkDone(worker.computed, checked.reasons, "".join(why[:1]), left)

    def _plans(self, run: str | None) -> list[PlanState]:
        if run is None:
            return self.store.plans.unfinished()
        meant = run_meant(self.store, run)
        found = self.store.plans.of_run(meant.id)
        if not found:
            raise BadInput(
                f"run {run} was not planned for workers: give its `stillproof run` command again with --plan-only."
            )
        return found

    def _load_plugins(self, plans: Sequence[PlanState], allowed: Collection[str], *, named: bool) -> None:
        """Load the plug-ins that the plans need; refuse those that nobody has allowed."""
        here = {plugin.hash for plugin in self.plugins}
        needed = dict.fromkeys(one for plan in plans for one in plan.plugins if one not in here)
        names = self.store.plugins.names(list(needed))
        for one in needed:
            if one in allowed:
                self.plugins += load_plugins([self.store.plugins.get(one)])
                continue
            sentence = (
                f"plug-in {names.get(one, '?')} of the store runs only if it is allowed here: give its file with "
                f"--plugin, or --allow-plugin {one}"
            )
            if named:
                raise BadInput(f"{sentence}.")
            log.warning("%s; its runs are left alone.", sentence)

    def _has_plugins(self, plan: PlanState) -> bool:
        return set(plan.plugins) <= {plugin.hash for plugin in self.plugins}

    def _states_of(self, plans: Sequence[int]) -> dict[str, str]:
        """Return the state of each cell of some plans, which may share some."""
        return {cell: state for plan in plans for cell, state in self.store.plans.statuses(plan).items()}

    def _has_failed(self, plan: PlanState) -> bool:
        return self.store.plans.counts(plan.id)["failed"] > 0

    def _others(self) -> int:
        """Return how many workers the store has, this one too."""
        return 1 + len(self.store.workers.at_work())


class _Checked:
    """Checks that the code here is that which cells are named after."""

    def __init__(self) -> None:
        self.reasons: dict[str, int] = {}
        self.stop: Callable[[], None] = lambda: None
        self._check = CodeCheck()

    def may_compute(self, cell: Record) -> bool:
        reason = self._check.difference(cell.spec)
        if reason:
            if reason not in self.reasons:
                log.warning("left alone: %s.", reason)
            self.reasons[reason] = self.reasons.get(reason, 0) + 1
            if sum(self.reasons.values()) >= MOST_REFUSED:
                self.stop()
        return not reason


@contextmanager
def _told_to_stop(ask: Callable[[], None], seconds: float | None) -> Iterator[list[str]]:
    """Ask for a stop at the first signal, or when the time is over; a second signal interrupts at once.

    Yields what has asked, in words.
    """
    why: list[str] = []

    def on_signal(number: int, frame: FrameType | None) -> None:
        if why:
            raise KeyboardInterrupt
        why.append(signal.Signals(number).name)
        ask()

    def on_time() -> None:
        why.append("its time was over")
        ask()

    in_main = threading.current_thread() is threading.main_thread()
    before: dict[Any, Any] = {number: signal.signal(number, on_signal) for number in STOPS} if in_main else {}
    timer = None if seconds is None else threading.Timer(max(0.0, seconds), on_time)
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield why
    finally:
        if timer is not None:
            timer.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)
