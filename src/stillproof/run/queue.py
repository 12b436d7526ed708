"""What a worker can compute now, of the plans that it works on: the store says, whoever else works on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stillproof.core.provenance import provenance
from stillproof.core.spec import canonical_json
from stillproof.store.store import Store

OFFERED = 64  # ready cells offered to one claim


class Offer(NamedTuple):
    """Cells of one plan that may be claimed, the best first."""

    plan: int
    cells: list[str]
    last: bool  # whether all others have ended


class Queue:
    """Looks for cells that are ready; those that measure time, and what needs them, come when all others have ended.

    ``lost`` are cells that were taken from this worker: whoever frees a cell wants the others to go on, so that they
    are tried last. ``refused`` are those that it must not compute.
    """

    def __init__(self, store: Store, plans: Sequence[int], device: str, *, takes_last: bool = True) -> None:
        """Look at these plans, in their order; ``takes_last`` says whether also at what runs last."""
        self.plans = list(plans)
        self.lost: set[str] = set()
        self.refused: set[str] = set()
        self._store = store
        self._phases = (False, True) if takes_last else (False,)
        here = provenance()
        self._machine = canonical_json(
            {"processor": here["processor"], "cores": here["cores"], "device": device},
        )

    def offer(self) -> Offer | None:
        """Return cells that may be claimed: those that nobody has begun, then those that a worker may have left."""
        for plan, last in self._parts():
            free = self._free(plan, last)
            held = self._store.plans.running(plan, last=last, machine=self._machine) if len(free) < OFFERED else []
            if found := sorted([*free, *held], key=lambda cell: cell in self.lost):
                return Offer(plan, found[: 2 * OFFERED], last)
        return None

    def _parts(self) -> Iterator[tuple[int, bool]]:
        """Yield what may be computed by now: of each plan, what runs last has to wait for the others."""
        for plan in self.plans:
            for last in self._phases:
                yield plan, last
                if not last and self._store.plans.left(plan, last=False):
                    break

    def _free(self, plan: int, last: bool) -> list[str]:
        return self._store.plans.ready(plan, OFFERED, last=last, machine=self._machine, but=self.refused)

    def is_done(self) -> bool:
        """Say whether every cell that this worker could take has ended, here or elsewhere."""
        return not any(self._store.plans.left(plan, last=last) for plan in self.plans for last in self._phases)

    def may_get_more(self) -> bool:
        """Say whether others compute, or plan, what this worker could go on with then; or just have."""
        for plan in self.plans:
            state = self._store.plans.get(plan)  # before its cells: whoever plans enters them, and then is done
            found = self._store.plans.counts(plan)
            is_open = state is not None and state.open and state.trouble is None
            if found["running"] and (found["pending"] > 0 or is_open):
                return True
            if is_open and state is not None and state.planning:
                return True
        return any(self._free(plan, last) for plan, last in self._parts())
