"""How well a trained network recognises each class, from its stored predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from stillproof.core.components import stages
from stillproof.run.cell import Planned
from stillproof.run.predictions import Tested, plan_tested, read_predictions
from stillproof.run.stage import Answer, Job, Stage

if TYPE_CHECKING:
    from stillproof.run.plan import Planner


@stages.register("by-class", version=1)
@dataclass(frozen=True)
class ByClass(Stage):
    """The test images of each class, and how many of them were recognised; derived, costs nothing.

    Args:
        of: The training, the choice of its epoch, or the id of either once it is finished.
    """

    only_counts: ClassVar[bool] = True

    of: Tested

    def plan(self, planner: Planner) -> Planned:
        """Plan the counting, and the training if that was asked for."""
        cell, needs, label = plan_tested(planner, self.of)
        return Planned({"of": cell}, f"classes of {label}", needs=needs)

    @staticmethod
    def compute(job: Job) -> Answer:
        """Count the images of every class."""
        found = read_predictions(job.spec["of"], job)
        test = found.test
        classes = test.num_classes
        result = {
            "classes": list(test.info.class_names) or [str(label) for label in range(classes)],
            "images": test.labels.bincount(minlength=classes).tolist(),
            "right": test.labels[found.right].bincount(minlength=classes).tolist(),
        }
        return Answer(result, artifacts=(found.outcomes,), derived_from=(job.spec["of"],))
