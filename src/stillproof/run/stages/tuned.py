"""A training at the learning rate that a search has chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.core.components import stages
from stillproof.core.errors import BadInput
from stillproof.core.reference import changed_reference
from stillproof.run.cell import Planned
from stillproof.run.stage import Answer, Job, Stage
from stillproof.run.stages.train import Train
from stillproof.suites.requests import Request, selected

if TYPE_CHECKING:
    from stillproof.run.plan import Planner


@stages.register("tuned", version=1)
@dataclass(frozen=True)
class Tuned(Stage):
    """The last epoch of a training whose learning rate another cell chooses.

    Until that is known, the cell is open. The training itself is then a cell like any other, which whoever asks for
    the same rate by its number shares.

    Args:
        train: The training, at whatever rate.
        choice: The cell that chooses.
    """

    train: Request
    choice: Request

    def plan(self, planner: Planner) -> Planned:
        """Plan the choice and, if it has been made, the training at the chosen rate."""
        asked = planner.stage(self.train)
        if not isinstance(asked, Train):
            raise BadInput(f"{self.train} is no training, so that it has no learning rate.")
        choice, train = planner.plan(self.choice), asked.plan(planner)
        spec = {"choice": choice.id, "train": train.spec}
        label = f"{train.label} at its best rate"
        made = planner.record(choice.id)
        if made is None or made.status in ("pending", "running"):
            # Its cost is that of the training, whatever the rate.
            size = (train.memory, train.disk, True)
            return Planned(spec, label, (choice.id, *train.needs), train.flops, {}, None, False, *size)
        if made.result is None:  # failed: this cell ends as that one did
            return Planned(spec, label, needs=(choice.id,))
        recipe = changed_reference(asked.recipe, lr=made.result["chosen"])
        last = planner.plan(selected(self.train.but(recipe=recipe), "last"))
        return Planned(spec, label, needs=(choice.id, last.id), where={"selected": last.id})

    @staticmethod
    def compute(job: Job) -> Answer:
        """Repeat what the training at the chosen rate gave."""
        choice, last = job.spec["choice"], job.where["selected"]
        record = job.record_of(last)
        result = dict(record.result or {}) | {"rate": job.answer_of(choice)["chosen"]}
        numerics = (record.provenance or {}).get("numerics", {})
        return Answer(result, numerics, derived_from=(last, choice))
