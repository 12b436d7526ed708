"""What a store holds: its cells, what was asked, what failed, and what is left over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stillproof.core.spec import Json
from stillproof.report.bundle_facts import bundle_facts, bundle_line
from stillproof.report.failures import Cause, causes_of
from stillproof.report.run_list import ListedRun, listed
from stillproof.store.holders import Silent, silent_holders
from stillproof.store.leftovers import Leftovers, leftovers
from stillproof.store.links import abandoned
from stillproof.store.records import Record
from stillproof.store.store import Store
from stillproof.store.workers import AtWork

if TYPE_CHECKING:
    from stillproof.store.bundle import Bundle


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """A store at one moment.

    Args:
        store: Where it is.
        cells: How many cells there are, by stage and state.
        runs: Runs of suites, that which was asked for last first.
        calls: Single calls of ``train``, ``distill`` and ``attack``, likewise.
        failed: Cells that failed, newest first.
        causes: The same, told once for each cause.
        leftovers: What nothing needs.
        silent: Cells that living processes hold without a sign of life.
        bundles: Imported results.
        workers: Who works on it.
        troubled: Runs that cannot be planned further, by number, and why.
    """

    store: str
    cells: Mapping[str, Mapping[str, int]]
    runs: Sequence[ListedRun]
    calls: Sequence[ListedRun]
    failed: Sequence[Record]
    causes: Sequence[Cause]
    leftovers: Leftovers
    silent: Sequence[Silent] = ()
    bundles: Sequence[Bundle] = ()
    workers: Sequence[AtWork] = ()
    troubled: Mapping[int, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return a line on the cells, and one for each run and single call."""
        states: Counter[str] = Counter()
        for counts in self.cells.values():
            states.update(counts)
        cells = ", ".join(f"{count} {state}" for state, count in sorted(states.items())) or "none"
        asked = [one.line() for one in (*self.runs, *self.calls)]
        others = [f"imported results {bundle_line(bundle)}" for bundle in self.bundles]
        return "\n".join((f"store {self.store}, cells: {cells}", *asked, *others))

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        left = self.leftovers
        return {
            "store": self.store,
            "cells": self.cells,
            "runs": [run.as_dict() for run in self.runs],
            "calls": [call.as_dict() for call in self.calls],
            "failed": [{"cell": r.id, "stage": r.stage, "error": r.error} for r in self.failed],
            "causes": [cause.as_dict() for cause in self.causes],
            "leftovers": [{"cell": cell.id, "stage": cell.stage, "state": cell.state} for cell in left.cells],
            "silent": [silent.as_dict() for silent in self.silent],
            "workers": [worker.as_dict() for worker in self.workers],
            "troubled": {str(run): why for run, why in self.troubled.items()},
            "imported_results": [bundle_facts(bundle) for bundle in self.bundles],
            "checkpoints": [str(path) for path in left.checkpoints],
        }


def status_of(store: Store) -> StoreStatus:
    """Look at a store."""
    found = listed(store, store.results.runs_and_calls())
    failed = store.results.failures()
    return StoreStatus(
        store=store.shown,
        cells=_states(store),
        runs=[one for one in found if one.run.verb == "run"],
        calls=[one for one in found if one.run.verb != "run"],
        failed=failed,
        causes=causes_of(failed),
        leftovers=leftovers(store),
        silent=silent_holders(store.database),
        bundles=store.bundles.all(),
        workers=store.workers.at_work(),
        troubled={plan.run: plan.trouble for plan in store.plans.unfinished() if plan.run and plan.trouble},
    )


def _states(store: Store) -> dict[str, dict[str, int]]:
    """Return how many cells there are, by stage and state: one whose worker died does not run."""
    found = store.results.counts()
    with store.database.read() as connection:
        dead = Counter(abandoned(connection).values())
    for stage, count in dead.items():
        states = {**found[stage], "abandoned": count, "running": found[stage].get("running", count) - count}
        found[stage] = {state: number for state, number in sorted(states.items()) if number > 0}
    return found
