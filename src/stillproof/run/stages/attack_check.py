"""Are a model's gradients to be trusted, so that attacks on it mean something?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from stillproof.attack.base.norms import Norm, largest
from stillproof.attack.masking.alarms import alarms_of
from stillproof.attack.masking.measure import measure
from stillproof.attack.masking.measured import (
    LOOKED_AT,
    NEAREST_STEPS,
    QUERIES,
    RADII,
    STEPS,
    UNBOUNDED_STEPS,
)
from stillproof.core.components import stages
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.run.attacked_model import plan_model, read_attacked
from stillproof.run.cell import Planned
from stillproof.run.stage import Answer, Job, Stage, recorded
from stillproof.run.stages.attack import image_count
from stillproof.suites.requests import Request

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

KIND = "gradient-check"
# Of an image; most are fooled soon without limits.
PASSES = 4 + 2 * (1 + STEPS + STEPS + 1 + UNBOUNDED_STEPS / 4 + NEAREST_STEPS + (len(RADII) - 1) * STEPS)
PASSES += QUERIES


@stages.register("attack-check", version=1)
@dataclass(frozen=True)
class AttackCheck(Stage):
    """Signs of gradient masking in a model, on pixels, whatever the protocol.

    Args:
        model: The network, as in an attack.
        dataset: The data set that it was trained for.
        eps: Radius of the ball that attacks are limited to.
        norm: Its norm.
        limit: How many of the test images, of which the first 500 are looked at.
        seed: Its seed.
    """

    model: Request
    dataset: str
    eps: float
    norm: Norm = "Linf"
    limit: int | None = None
    seed: int = 0

    def plan(self, planner: Planner) -> Planned:
        """Plan the check, and the model that it needs."""
        test = planner.names.data(self.dataset, "test")
        most = largest(self.norm, test.info.channels * test.info.size**2)
        if not 0 < self.eps <= most:
            raise BadInput(
                f"eps = {self.eps:g} is not allowed: it must be above 0 and at most {most:g} in {self.norm}."
            )
        model = plan_model(planner, self.model, self.dataset)
        images = min(LOOKED_AT, image_count(self.limit, test.total, self.dataset))
        _, flops = planner.names.network(model.network, test.info)
        about = {"eps": self.eps, "norm": self.norm, "seed": self.seed}
        return Planned(
            spec={"model": model.spec, "test": test.id, "images": images, **about},
            label=f"gradients of {model.label}",
            needs=model.needs,
            flops=PASSES * images * flops,
            where={"dataset": self.dataset, "network": model.network},
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Measure, and say what is suspicious."""
        spec = job.spec
        test = job.data(spec["test"], "test")
        attacked = read_attacked(spec["model"], job, test.info)
        ctx = job.context(Seeds(spec["seed"]).child("attack-check"))
        part = slice(0, spec["images"])
        found = measure(attacked.model, test.read(part), test.labels[part], eps=spec["eps"], norm=spec["norm"], ctx=ctx)
        tensors = {name: torch.tensor(values) for name, values in found.by_image().items()}
        about = {"eps": found.eps, "norm": found.norm, "images": found.images, "right": found.right}
        kept = job.store.keep(KIND, tensors, about | {"test": spec["test"], "cell": job.cell}, cell=job.cell)
        means = {name: values.double().mean().item() if found.right else None for name, values in tensors.items()}
        result = about | {"alarms": alarms_of(found), "means": means, "outcomes": kept, "notes": ctx.notes}
        return Answer(result, recorded(ctx), (kept,), attacked.cells)
