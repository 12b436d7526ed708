"""How near one attack comes to each image, within a number of passes: one line of a comparison of attacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from stillproof.attack.base.norms import Norm
from stillproof.attack.bench.run import contestant, nearness
from stillproof.core.components import attacks, stages
from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.run.attacked_model import plan_model, read_attacked
from stillproof.run.cell import Planned
from stillproof.run.stage import Answer, Job, Stage, recorded
from stillproof.run.stages.attack import image_count
from stillproof.suites.requests import Request

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

KIND = "attack-distances"


@stages.register("attack-bench", version=1)
@dataclass(frozen=True)
class AttackBench(Stage):
    """The size of the nearest change that an attack finds within a number of passes, for every image.

    Args:
        model: The network, as in an attack.
        dataset: The data set that it was trained for.
        attack: The attack: one of ours by name, or of a library, as in ``adv-lib/fmn``.
        norm: The norm of the change.
        budget: The most passes, forward and backward together, of each image.
        limit: Number of test images; all by default.
        seed: Its seed.
    """

    model: Request
    dataset: str
    attack: str
    norm: Norm = "Linf"
    budget: int = 2000
    limit: int | None = None
    seed: int = 0

    def plan(self, planner: Planner) -> Planned:
        """Plan the attack, and the model that it needs."""
        if self.budget < 1:
            raise BadInput(f"budget = {self.budget} leaves no pass to ask the model: it must be at least 1.")
        test = planner.names.data(self.dataset, "test")
        model = plan_model(planner, self.model, self.dataset)
        images = image_count(self.limit, test.total, self.dataset)
        one = contestant(self.attack, self.norm, Context(Seeds(0)))
        # A library decides numbers by its version, an attack of ours by its own code.
        code: Json = {"library": one.version} if one.version else {"attack": attacks.code(one.name)}
        _, flops = planner.names.network(model.network, test.info)
        about = {"norm": self.norm, "budget": self.budget, "seed": self.seed}
        return Planned(
            spec={"model": model.spec, "test": test.id, "images": images, "of": self.attack, **code, **about},
            label=f"{self.attack} in {self.norm} on {model.label}",
            needs=model.needs,
            flops=self.budget * images * flops,
            where={"dataset": self.dataset, "network": model.network},
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Run it, and keep what came of every image."""
        spec = job.spec
        test = job.data(spec["test"], "test")
        attacked = read_attacked(spec["model"], job, test.info)
        ctx = job.context(Seeds(spec["seed"]).child("attack-bench"))
        part = slice(0, spec["images"])
        images, labels = test.read(part, job.device), test.labels[part].to(job.device).long()
        found = nearness(spec["of"], attacked.model, images, labels, norm=spec["norm"], budget=spec["budget"], ctx=ctx)
        tensors = {
            "distances": found.distances,
            "clean_right": found.clean_right,
            "forwards": found.forwards.to(torch.int32),
            "backwards": found.backwards.to(torch.int32),
        }
        card = {key: spec[key] for key in ("test", "of", "norm", "budget")} | {"cell": job.cell}
        kept = job.store.keep(KIND, tensors, card, cell=job.cell)
        passes = (found.forwards + found.backwards)[found.clean_right].double()
        result = {
            "n": len(images),
            "clean_accuracy": found.clean_right.double().mean().item(),
            "turned": found.distances.isfinite().double().mean().item(),
            "passes_per_image": passes.mean().item() if len(passes) else 0.0,
            "seconds": found.seconds,
            "outcomes": kept,
            "model": attacked.artifact,
            "notes": ctx.notes,
        }
        result |= {"draws": found.draws} if found.draws else {}
        return Answer(result, recorded(ctx), (kept,), attacked.cells)
