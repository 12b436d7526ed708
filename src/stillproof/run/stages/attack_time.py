"""What an attack takes, with nothing else running."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from stillproof.core.components import stages
from stillproof.core.errors import BadInput
from stillproof.core.other_processes import OtherProcesses
from stillproof.core.provenance import provenance
from stillproof.core.seeds import Seeds
from stillproof.run.attacked_model import read_attacked
from stillproof.run.attacker import OutcomeParts
from stillproof.run.cell import Planned
from stillproof.run.stage import Answer, Job, Stage, recorded
from stillproof.run.stages.attack import AttackStage, attacker_of
from stillproof.suites.requests import Request

if TYPE_CHECKING:
    from stillproof.run.plan import Planner


@stages.register("attack-time", version=1)
@dataclass(frozen=True)
class AttackTime(Stage):
    """Seconds of an attack and of clean predictions, timed alone, in the way of its protocol.

    Args:
        of: The attack.
        first: How many of the images, from the first on, are timed, if there are so many.
    """

    of: Request
    first: int

    def plan(self, planner: Planner) -> Planned:
        """Plan the timing; the attack itself is not needed, only its model."""
        asked = planner.stage(self.of)
        if not isinstance(asked, AttackStage):
            raise BadInput(f"{self.of} is no attack that could be timed.")
        total = planner.names.data(asked.dataset, asked.part).total
        made = planner.stage(self.of.but(limit=min(self.first, total), keep=False)).plan(planner)
        # Another machine takes another time, so it is another question.
        machine = {key: provenance()[key] for key in ("processor", "cores")} | {"device": planner.device}
        return Planned(
            spec={**made.spec, "machine": machine},
            label=f"time of {made.label}",
            needs=made.needs,
            flops=made.flops,
            where=made.where,
            alone=True,
            memory=made.memory,
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Attack the first batch once to warm up, and then all of them on a clock."""
        spec = job.spec
        test = job.data(spec["test"], job.where["part"])
        attacked = read_attacked(spec["model"], job, test.info)
        attacker = attacker_of(spec, attacked.model, test)
        ctx = job.context(Seeds(spec["seed"]).child("attack"))
        total, found = spec["images"], OutcomeParts(ctx.notes)
        parts = [slice(start, min(total, start + attacker.batch)) for start in range(0, total, attacker.batch)]
        with attacker.victim(total, ctx) as victim:
            attacker.run(victim, parts[0], ctx)
            with OtherProcesses() as others:
                for number, part in enumerate(parts):
                    job.report(number / len(parts))
                    found.parts.append(attacker.run(victim, part, ctx))
        outcome = found.whole()
        result = {
            "images": total,
            "seconds": outcome.seconds,
            "clean_seconds": outcome.clean_seconds,
            "passes_per_image": outcome.passes_per_image,
            "others_cpu": others.share,
            "threads": torch.get_num_threads(),
            "machine": " on ".join((ctx.numerics["device"], spec["machine"]["processor"] or "an unknown processor")),
            "notes": ctx.notes,
        }
        return Answer(result, recorded(ctx))
