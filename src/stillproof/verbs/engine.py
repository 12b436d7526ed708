"""What every verb of a session stands on: a store, a data folder, and a way to compute what is asked."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from stillproof.core.components import executors, stages
from stillproof.core.errors import CellFailed
from stillproof.core.plugins import Plugin, import_entry_points, index_entry_points, load_plugins, read_plugin
from stillproof.core.spec import Json
from stillproof.data.load import data_root
from stillproof.report.failures import explained
from stillproof.report.merged import merged_caveat
from stillproof.run.answer_unkept import answers_unkept
from stillproof.run.cell import Cell
from stillproof.run.device import checked_device
from stillproof.run.enter import enter
from stillproof.run.estimate import Estimate, Here, estimate, here
from stillproof.run.executor import Executor, OnChange, Work
from stillproof.run.executors.here import ThisProcess
from stillproof.run.executors.pool import ProcessPool
from stillproof.run.heartbeat import lease_seconds
from stillproof.run.plan import Planner
from stillproof.run.process_count import workers_for
from stillproof.run.stage import Options, answer_of, default_device
from stillproof.store.plans import ENDED
from stillproof.store.read_store import read_store
from stillproof.store.store import Store, open_store
from stillproof.suites.requests import Request

log = logging.getLogger("stillproof")

NOT_TRIED = "it was not computed"

# Takes a plan and what says how many seconds its cells are expected to take; what it yields watches the plan.
Watch = Callable[[Planner, Callable[[Cell], float]], AbstractContextManager[OnChange]]


@dataclass(frozen=True, slots=True)
class EnteredPlan:
    """The plan of a run in the store: its number, and what the run is called."""

    plan: int
    run: str


@contextlib.contextmanager
def _unwatched(planner: Planner, seconds: Callable[[Cell], float]) -> Iterator[OnChange]:
    """Show nothing."""
    yield lambda status, shares, said: None


class Engine:
    """A store, a data folder and a way to compute; as a context, it closes the store at its end."""

    def __init__(
        self,
        store: str | None = None,
        data: str | None = None,
        *,
        workers: int | None = 1,
        plugins: Sequence[Plugin | Path | str] = (),
        device: str | None = None,
        on_plan: Watch | None = None,
        checkpoint_seconds: float = 20.0,
        cell_limit: float | None = None,
        executor: str | None = None,
        reads: bool = False,
    ) -> None:
        """Load plug-ins; nothing is opened or computed yet.

        Args:
            store: Store for the results: a file, or a URL.
            data: Folder of the data sets.
            workers: Number of processes; by default, as many as are worthwhile for a plan.
            plugins: Files with your own components.
            device: Device to compute on; by default the first GPU, else the CPU.
            on_plan: Is told of each plan and watches it while it is computed.
            checkpoint_seconds: Seconds between the checkpoints of long loops.
            cell_limit: Seconds that one cell may take; one that takes longer is recorded as failed.
            executor: What computes, as in ``pool:workers=4``; by default this process, or as many as ``workers`` says.
            reads: Whether the store is only read: it may be on a read-only disk, or of an older schema, and what would
                have to be kept in it raises ``OnlyRead``.
        """
        index_entry_points()
        import_entry_points()
        self.plugins = load_plugins([one if isinstance(one, Plugin) else read_plugin(Path(one)) for one in plugins])
        self._store = store
        self.root = data_root(data)
        self.workers = workers
        self.device = checked_device(device) if device else default_device()
        self._fell_back = not device and self.device == "cpu"
        self.checkpoint_seconds = checkpoint_seconds
        self.cell_limit = cell_limit
        self.executor: Executor | None = executors.build(executor) if executor else None
        self._reads = reads
        self._on_plan = on_plan or _unwatched

    @cached_property
    def store(self) -> Store:
        """Return the store, which is opened, and made if need be, when something asks for it."""
        return read_store(self._store) if self._reads else open_store(self._store)

    def close(self) -> None:
        """Close the store, if it was opened."""
        if "store" in vars(self):
            self.store.close()

    def __enter__(self) -> Self:
        """Return the session itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        if "store" in vars(self):
            self.store.__exit__(kind, error, trace)

    def answer(self, request: Request) -> Json:
        """Return the answer to a question of any stage, computed if the store does not have it."""
        return self.answers([request])[0]

    def answers(self, requests: Sequence[Request]) -> list[Json]:
        """Return the answers to several questions, in their order."""

        def plan() -> Planner:
            planner = self._planner()
            for request in requests:
                planner.plan(request)
            return planner

        if self._reads:
            planner = plan()
            unkept = answers_unkept(planner, self.store, self.options)
            cells = [planner.plan(request).id for request in requests]
            return [unkept[cell] if cell in unkept else answer_of(cell, self.store) for cell in cells]
        planner = self._finish(plan(), plan)
        return [answer_of(planner.plan(request).id, self.store) for request in requests]

    def _planner(self) -> Planner:
        """Return a new planner, which knows the answers of the store."""
        return Planner(self.root, self.device, self.store.results.get)

    def estimate(self, planner: Planner, *, own: bool = False) -> Estimate:
        """Return what the rest of a plan will cost; of ``own`` answers, merged ones are part of the rest."""
        return estimate(self.store, list(planner.cells.values()), self._here(planner), own=own)

    def _finish(
        self,
        planner: Planner,
        plan_again: Callable[[], Planner],
        *,
        must_succeed: bool = True,
        stop_at_failure: bool = False,
        entered: EnteredPlan | None = None,
    ) -> Planner:
        """Compute a plan in rounds: with the answers of one round, what was open before is planned; return the last."""

        def execute(again: bool) -> None:
            how = {"must_succeed": must_succeed, "stop_at_failure": stop_at_failure, "again": again}
            self.execute(planner, **how, entered=entered)

        execute(again=True)
        while any(cell.open for cell in planner.cells.values()) and not self._stopped(planner, stop_at_failure):
            planner = plan_again()
            execute(again=False)
        return planner

    def _stopped(self, planner: Planner, stop_at_failure: bool) -> bool:
        """Say whether a failure has ended the work."""
        return stop_at_failure and "failed" in self.store.results.statuses(list(planner.cells)).values()

    def execute(
        self,
        planner: Planner,
        *,
        must_succeed: bool = True,
        may_be_unsupported: bool = False,
        stop_at_failure: bool = False,
        again: bool = True,
        entered: EnteredPlan | None = None,
        tells: bool = True,
    ) -> dict[str, str]:
        """Compute what the store does not know yet and can be computed by now; return the status of each cell before.

        Args:
            planner: The plan.
            must_succeed: Whether a cell without an answer is an error.
            may_be_unsupported: Whether one that cannot be computed, by definition, is none.
            stop_at_failure: Whether the first cell that fails ends the work.
            again: Whether cells that failed are tried again, or left as they are.
            entered: The plan of a run in the store, which they are entered into; without one, another for this call.
            tells: Whether to say which of the answers were merged from other stores.
        """
        cells = planner.ready()
        ids = [cell.id for cell in cells]
        if tells and again and (origins := self.store.results.origins(ids)):
            log.warning("note: %s.", merged_caveat(list(origins.values())))
        before = self.store.results.statuses(ids)
        before |= dict.fromkeys(self.store.reopen_damaged(ids), "pending")
        ended = ("done", "unsupported") if again else ENDED
        is_done = all(before.get(cell) in ended for cell in ids)
        if is_done and entered is None:
            return before
        is_open = len(cells) < len(planner.cells)
        plan = enter(self.store, cells, plan=entered.plan if entered else None, again=again, is_open=is_open)
        if is_done:
            return before
        if again and self._fell_back and any(cell.flops and before.get(cell.id) != "done" for cell in cells):
            log.info("computing on the CPU: no GPU was found.")
        try:
            with self._on_plan(planner, self._here(planner).seconds) as watch:
                run = entered.run if entered else ""
                work = Work(self.store, plan, cells, self.options, self.plugins, watch, stop_at_failure, run)
                self._executor(cells, before).execute(work)
        finally:
            if entered is None:
                self.store.plans.drop(plan)
        if must_succeed:
            self._raise_first_failure(planner, ("done", "unsupported") if may_be_unsupported else ("done",))
        return before

    @property
    def options(self) -> Options:
        """Return how cells are computed here."""
        return Options(
            self.store.url,
            self.root,
            self.device,
            checkpoint_seconds=self.checkpoint_seconds,
            lease_seconds=lease_seconds(),
            cell_limit=self.cell_limit,
        )

    def _here(self, planner: Planner) -> Here:
        status = self.store.results.statuses(list(planner.cells))
        return here(self.store, self.device, self._workers(list(planner.cells.values()), status))

    def _executor(self, cells: Sequence[Cell], status: Mapping[str, str]) -> Executor:
        """Return what computes the rest of a plan."""
        workers = self._workers(cells, status)
        return self.executor or (ProcessPool(workers) if workers > 1 else ThisProcess())

    def _workers(self, cells: Sequence[Cell], status: Mapping[str, str]) -> int:
        """Return how many processes compute what is left of a plan."""
        return self.workers or workers_for([cell for cell in cells if status.get(cell.id) != "done"], self.device)

    def _raise_first_failure(self, planner: Planner, fine: Collection[str]) -> None:
        cells = planner.ready()
        records = self.store.results.get_many([cell.id for cell in cells])
        borne = _borne(cells)
        for cell in cells:  # in order of need, so that the cause comes before its consequences
            record = records[cell.id]
            if record.status not in fine and not (record.status == "unsupported" and cell.id in borne):
                raise CellFailed(f"{cell.label} ended as {record.status}: {explained(record.error or NOT_TRIED)}")


def _borne(cells: Sequence[Cell]) -> set[str]:
    """Return the cells, directly or not, that something needs which has an answer even without theirs."""
    found: set[str] = set()
    for cell in reversed(cells):  # whatever needs a cell comes after it
        if cell.id in found or stages.get(cell.stage).bears_unsupported:
            found.update(cell.needs)
    return found
