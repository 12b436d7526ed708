"""The worst case over several attacks, image by image, from what is stored of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.core.attack_warnings import WARNINGS
from stillproof.core.components import stages
from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.run.attack_names import attack_called
from stillproof.run.attack_outcomes import majority_warning, read_outcomes
from stillproof.run.cell import Planned
from stillproof.run.stage import Answer, Job, Stage
from stillproof.score.attacked_images import worst_case
from stillproof.suites.requests import Request

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

ATTACKS = ("attack", "transfer", "within")  # the stages whose answers have outcomes of images
SAME = ("test", "images", "protocol")  # what attacks must have in common


@stages.register("worst-case", version=1)
@dataclass(frozen=True)
class WorstCase(Stage):
    """The images that a model has right in spite of each of several attacks; derived, costs nothing.

    Those of a model that answers at random go by the majority of its draws, and so does the accuracy before.

    Args:
        of: The attacks, on the same images and the same model; those without a targeted form are left out of targeted
            ones.
    """

    of: tuple[Request, ...]

    def plan(self, planner: Planner) -> Planned:
        """Plan the counting, and the attacks."""
        cells = [planner.plan(request) for request in [one for one in self.of if can_be_made(one)] or self.of]
        if not cells:
            raise BadInput("the worst case of no attack is not defined: name at least one.")
        for cell in cells:
            if cell.stage not in ATTACKS:
                raise BadInput(f"{cell.label} is not an attack.")
        for key in (*SAME, "model"):
            if any(cell.spec[key] != cells[0].spec[key] for cell in cells):
                raise BadInput(f"the worst case is that of attacks on the same {key}, and these differ in it.")
        names = tuple(dict.fromkeys(cell.id for cell in cells))
        return Planned({"of": list(names)}, f"worst case of {len(names)} attacks, {cells[0].label}", needs=names)

    @staticmethod
    def compute(job: Job) -> Answer:
        """Count the images that withstand all attacks."""
        cells: list[str] = job.spec["of"]
        answers = [job.answer_of(cell) for cell in cells]
        artifacts = tuple(answer["outcomes"] for answer in answers)
        found = [read_outcomes(job.store, artifact) for artifact in artifacts]
        robust = worst_case([tensors["robust"] for tensors in found])
        result: Json = {
            "n": len(robust),
            "clean_accuracy": int(found[0]["clean_right"].sum()) / len(robust),
            "robust_accuracy": int(robust.sum()) / len(robust),
            "attacks": len(cells),
        }
        if told := majority_warning(answers):
            result["notes"] = {WARNINGS: told}
        return Answer(result, artifacts=artifacts, derived_from=tuple(cells))


def can_be_made(asked: Request) -> bool:
    """Say whether what an attack aims at is something that it can aim at."""
    if asked.stage != "attack":
        return can_be_made(asked.of) if isinstance(asked.params.get("of"), Request) else True
    return asked.params.get("targets") is None or attack_called(asked.attack).has_target
