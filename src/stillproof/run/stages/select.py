"""The epoch of a training run that counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.core.components import stages
from stillproof.core.errors import BadInput
from stillproof.core.types import Selection
from stillproof.run.cell import Planned
from stillproof.run.stage import Answer, Job, Stage
from stillproof.suites.requests import Request

if TYPE_CHECKING:
    from stillproof.run.plan import Planner


@stages.register("select", version=1)
@dataclass(frozen=True)
class Select(Stage):
    """The choice of an epoch, which costs nothing: a training run keeps its whole curve.

    Args:
        train: The training run.
        rule: How the epoch is chosen.
    """

    train: Request
    rule: Selection

    def plan(self, planner: Planner) -> Planned:
        """Plan the choice, and the training run that it chooses from."""
        train = planner.plan(self.train)
        if "heldout" not in train.spec:
            raise BadInput(f"{train.label} is not a training run, so that it has no epochs to choose from.")
        if self.rule == "heldout" and not train.spec["heldout"]:
            raise BadInput("selection 'heldout' needs a held-out part, which this training run does not have.")
        spec = {"train": train.id, "rule": self.rule}
        return Planned(spec, f"{self.rule} epoch of {train.label}", needs=(train.id,))

    @staticmethod
    def compute(job: Job) -> Answer:
        """Choose an epoch by the rule; the earliest of equals."""
        record, rule = job.record_of(job.spec["train"]), job.spec["rule"]
        curve = record.result or {}
        if rule == "last":
            point = len(curve["epochs"]) - 1
        else:
            judged = curve["heldout_accuracy"] if rule == "heldout" else curve["test_accuracy"]
            point = judged.index(max(judged))
        epoch = curve["epochs"][point]
        result = {
            "accuracy": curve["test_accuracy"][point],
            "heldout_accuracy": curve["heldout_accuracy"][point] if curve["heldout_accuracy"] else None,
            "epoch": epoch,
            "model": curve["models"][str(epoch)],
            "outcomes": curve["outcomes"],
            "n_test": curve["n_test"],
            "points": len(curve["epochs"]),
        }
        numerics = (record.provenance or {}).get("numerics", {})
        return Answer(result, numerics, derived_from=(job.spec["train"],))
