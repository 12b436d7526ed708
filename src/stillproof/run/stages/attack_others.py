"""An attack on those images of a split that no defence has learned from."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.core.components import stages
from stillproof.core.errors import BadInput
from stillproof.core.provenance import Meter
from stillproof.core.seeds import Seeds
from stillproof.run.attack_outcomes import KIND, outcome_tensors, summarised
from stillproof.run.attacked_model import read_attacked
from stillproof.run.cell import Planned
from stillproof.run.learned_attacks import SEEN, learned_by, others_than, plan_sets, read_sets, sources_of
from stillproof.run.stage import Answer, Job, Stage, recorded
from stillproof.run.stages.attack import AttackStage, attack_all, attacker_of
from stillproof.run.trained_models import read_of_training
from stillproof.suites.requests import Request

if TYPE_CHECKING:
    from stillproof.run.plan import Planner


@stages.register("attack-others", version=1)
@dataclass(frozen=True)
class AttackOthers(Stage):
    """An attack on the first images of a split that an attacked set has not to learn from or to choose by.

    Args:
        of: The attack, as on the first images of the split; how many, its ``limit`` says.
        attacked: The attacked set.
    """

    of: Request
    attacked: Request

    def plan(self, planner: Planner) -> Planned:
        """Plan the attack as on the first images, with the set beside it."""
        asked = planner.stage(self.of)
        if not isinstance(asked, AttackStage) or asked.keep:
            raise BadInput(f"{self.of} is no attack that could be made on other images, which are not kept.")
        attack = asked.plan(planner)
        sets = plan_sets(planner, [self.attacked], asked.dataset, asked.part)
        return dataclasses.replace(
            attack,
            spec=attack.spec | {"attacked": sets.specs[0]},
            label=f"{attack.label}, others than in {sets.labels[0]}",
            needs=tuple(dict.fromkeys((*attack.needs, *sets.needs))),
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Attack batch by batch, and keep what came of every image."""
        spec = job.spec
        test = job.data(spec["test"], job.where["part"])
        attacked = read_attacked(spec["model"], job, test.info)
        attacker = attacker_of(spec, attacked.model, test)
        card = read_of_training(job.store, attacked.artifact).card
        learned = learned_by(card, test.id) | sources_of(read_sets([spec["attacked"]], job), *SEEN)
        places = others_than(learned, len(test))[: spec["images"]]
        ctx = job.context(Seeds(spec["seed"]).child("attack"))
        with Meter() as meter:
            outcome = attack_all(attacker, places, ctx, job)
        tensors = outcome_tensors(outcome, attacker.protocol) | {"places": places.int()}
        about = {key: spec[key] for key in ("test", "attack", "targets", "protocol")} | {"cell": job.cell}
        outcomes = job.store.keep(KIND, tensors, about, cell=job.cell)
        result = summarised(outcome, attacker.protocol) | {
            "outcomes": outcomes,
            "model": attacked.artifact,
            "peak_bytes": meter.peak_bytes,
            "notes": ctx.notes,
        }
        return Answer(result, recorded(ctx), (outcomes,), attacked.cells)
