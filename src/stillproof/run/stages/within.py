"""An attack without limits, judged within a ball: a change that is larger than others may make does not count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.norms import Norm
from stillproof.attack.protocols.named import attack_protocol
from stillproof.core.components import attacks, stages
from stillproof.core.errors import BadInput
from stillproof.run.attack_outcomes import KIND, judged_within, read_outcomes
from stillproof.run.cell import Planned
from stillproof.run.stage import Answer, Job, Stage
from stillproof.score.attacked_images import outcome_summary
from stillproof.suites.requests import Request

if TYPE_CHECKING:
    from stillproof.run.plan import Planner


@stages.register("within", version=1)
@dataclass(frozen=True)
class Within(Stage):
    """What an attack without a ball comes to within one; derived, costs nothing.

    Args:
        of: The attack, on pixels.
        norm: The norm of the ball.
        eps: Its radius, in pixels of [0, 1].
    """

    of: Request
    norm: Norm
    eps: float

    def plan(self, planner: Planner) -> Planned:
        """Plan the judgement, and the attack."""
        if not self.eps > 0:
            raise BadInput(f"eps = {self.eps:g} is not allowed: it must be above 0.")
        cell = planner.plan(self.of)
        if cell.stage != "attack" or not attack_protocol(cell.spec["protocol"]).in_pixels:
            raise BadInput(f"{cell.label} is not an attack on pixels, so that a ball means nothing for it.")
        attack = cast(Attack, attacks.rebuild(cell.spec["attack"]))
        if attack.radius is not None:
            raise BadInput(f"{cell.label} has a ball of its own: give it another eps instead.")
        same = {key: cell.spec[key] for key in ("model", "test", "images", "protocol")}
        return Planned(
            {"of": cell.id, "norm": self.norm, "eps": self.eps, **same},
            f"{cell.label} within {self.eps:.3g} in {self.norm}",
            needs=(cell.id,),
            where=cell.where,
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Take back the successes that are too far away."""
        spec = job.spec
        answer = job.answer_of(spec["of"])
        found = judged_within(read_outcomes(job.store, answer["outcomes"]), spec["norm"], spec["eps"])
        card: dict[str, Any] = {key: spec[key] for key in ("of", "norm", "eps")} | {"cell": job.cell}
        kept = job.store.keep(KIND, found, card, cell=job.cell)
        same = {key: answer[key] for key in ("passes_per_image", "notes", "draws") if key in answer}
        result = same | outcome_summary(found) | {"outcomes": kept}
        return Answer(result, artifacts=(kept,), derived_from=(spec["of"],))
