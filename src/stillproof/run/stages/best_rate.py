"""The learning rate that did best of several, and what each of them did."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from stillproof.core.components import stages
from stillproof.core.errors import BadInput, Unsupported
from stillproof.core.spec import Json
from stillproof.run.cell import Planned
from stillproof.run.stage import Answer, Job, Stage
from stillproof.suites.requests import Request

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

JUDGED = {"heldout": "heldout_accuracy", "oracle": "accuracy"}  # by rule, where a selected epoch has it


@stages.register("best-rate", version=1)
@dataclass(frozen=True)
class BestRate(Stage):
    """A choice among trainings that differ in their learning rate; one that diverged is not chosen.

    By the rule ``oracle`` the test images choose, and the answer is that of the chosen training itself.

    Args:
        selected: The selected epochs of the trainings.
        rates: Their learning rates.
        rule: Which images judge them.
    """

    selected: tuple[Request, ...]
    rates: tuple[float, ...]
    rule: Literal["heldout", "oracle"]

    bears_unsupported: ClassVar[bool] = True

    def plan(self, planner: Planner) -> Planned:
        """Plan the choice, and the trainings that it is made of."""
        if not self.selected or len(self.selected) != len(self.rates):
            raise BadInput(
                f"{len(self.rates)} learning rates for {len(self.selected)} trainings: name at least one rate, and one "
                "training for each."
            )
        cells = [planner.plan(request) for request in self.selected]
        spec = {"selected": [cell.id for cell in cells], "rates": list(self.rates), "rule": self.rule}
        label = f"best of {len(cells)} rates, {cells[0].label}"
        return Planned(spec, label, needs=tuple(dict.fromkeys(cell.id for cell in cells)))

    @staticmethod
    def compute(job: Job) -> Answer:
        """Choose the best; the first of equals."""
        rates, rule = job.spec["rates"], job.spec["rule"]
        records = [job.store.results.get(cell) for cell in job.spec["selected"]]
        done = {rate: record for rate, record in zip(rates, records, strict=True) if record and record.status == "done"}
        tried = [_tried(job, rate, cell, rule) for rate, cell in zip(rates, job.spec["selected"], strict=True)]
        if not done:
            told = "; ".join(f"{one['rate']:g}: {one['reason']}" for one in tried)
            raise Unsupported(f"none of the learning rates can be trained at: {told}")
        best = max((one for one in tried if one["judged"] is not None), key=lambda one: one["judged"])
        chosen = done[best["rate"]]
        own = dict(chosen.result or {}) if rule == "oracle" else {}
        numerics = (chosen.provenance or {}).get("numerics", {})
        answer = own | {"rule": rule, "chosen": best["rate"], "tried": tried}
        return Answer(answer, numerics, derived_from=tuple(record.id for record in done.values()))


def _tried(job: Job, rate: float, cell: str, rule: str) -> Json:
    """Return what a training at one rate did, or why it did nothing."""
    record = job.store.results.get(cell)
    assert record is not None, "a cell runs only after those that it needs"
    if record.status != "done" or record.result is None:
        return {"rate": rate, "judged": None, "loss": None, "reason": (record.error or "unknown").splitlines()[0]}
    losses = job.answer_of(record.derived_from[0])["losses"]
    loss = losses[-1] if math.isfinite(losses[-1]) else None
    return {"rate": rate, "judged": record.result[JUDGED[rule]], "loss": loss}
