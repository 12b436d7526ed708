"""Further rounds of runs: what a plan left open is planned again, once the answers are there that it depends on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from stillproof.core.errors import BadInput, DataMissing, StillproofError, StoreError
from stillproof.core.spec import Json
from stillproof.report.runs import run_meant
from stillproof.run.enter import enter_round
from stillproof.run.plan import Planner
from stillproof.store.plans import PlanState
from stillproof.store.store import Store
from stillproof.verbs.running import AskedRun

log = logging.getLogger("stillproof")


class Rounds:
    """Plans again what has ended and is open: with the answers that are there by now, there is more to compute."""

    def __init__(self, store: Store, plan_again: Callable[[AskedRun], Planner], plans: Sequence[int]) -> None:
        """Look after these plans; ``plan_again`` plans what a run asks."""
        self._store, self._plan_again = store, plan_again
        self._plans = list(plans)

    def __call__(self, owner: str) -> bool:
        """Plan what may be planned by ``owner``; say whether there was anything."""
        return any(self._may_be_planned(plan, owner) and self._plan(plan) for plan in list(self._plans))

    def _may_be_planned(self, plan: int, owner: str) -> bool:
        state = self._store.plans.get(plan)
        if state is None or not state.open or state.trouble or state.question is None:
            return False
        if state.question.get("stop_at_failure") and self._store.plans.counts(plan)["failed"]:
            return False
        return self._store.plans.claim_planning(plan, owner)

    def _plan(self, plan: int) -> bool:
        before = self._store.plans.counts(plan).total()
        state = self._store.plans.get(plan)
        if state is None:  # its run was removed just now
            return False
        try:
            is_open = self._entered(state)
        except StillproofError as error:
            log.warning("run %s cannot be planned again here: %s", state.run, error)
            here_alone = isinstance(error, DataMissing | StoreError)  # another worker may do better
            self._store.plans.give_up_planning(plan, None if here_alone else str(error))
            self._plans.remove(plan)
            return False
        except BaseException:  # whoever comes next need not wait for this one
            self._store.plans.give_up_planning(plan, None)
            raise
        counts = self._store.plans.counts(plan)
        if is_open and counts.total() == before and counts.total() == counts["done"] + counts["unsupported"]:
            self._store.plans.give_up_planning(plan, "planning it again brought nothing new to compute")
        return True

    def _entered(self, state: PlanState) -> bool:
        """Enter the next round of a plan into the store; say whether there will be another."""
        asked = _asked(state.question or {})
        planner = self._plan_again(asked)
        self._check(state, asked, planner)
        return enter_round(self._store, planner, state.id, again=False)

    def _check(self, state: PlanState, asked: AskedRun, planner: Planner) -> None:
        """Refuse to go on with other cells than those of the run's table."""
        assert state.run is not None  # only runs can be planned again
        run = run_meant(self._store, state.run)
        missing = [cell for cell in run.cells if cell not in planner.cells]
        is_same = len(missing) < len(run.cells) if asked.only_matching else not missing
        if run.suite != asked.suite or not is_same:
            raise StoreError(
                "what it asks has other cells here than when it was planned: the code, the data or the plan in the "
                "store are not the same"
            )


def _asked(question: Json) -> AskedRun:
    """Return what a plan asks.

    Raises:
        BadInput: The store holds something else by now.
    """
    try:
        asked = AskedRun(**question)
    except TypeError:
        asked = None
    if asked is None or not isinstance(asked.suite, str) or not isinstance(asked.options, dict):
        raise BadInput("what it asks was changed in the store to what is no question")
    return asked
