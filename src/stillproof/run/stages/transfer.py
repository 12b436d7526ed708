"""Images that were attacked on one model, as another one sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.attack.base.random_models import draws_sentence
from stillproof.attack.base.transfer import judge as judged_by
from stillproof.attack.protocols.named import attack_protocol
from stillproof.core.attack_warnings import WARNINGS
from stillproof.core.components import stages
from stillproof.core.errors import BadInput, Unsupported
from stillproof.core.provenance import numerics
from stillproof.core.seeds import Seeds
from stillproof.run.attack_outcomes import CLASS, KIND
from stillproof.run.attacked_model import plan_model, read_attacked
from stillproof.run.cell import Planned
from stillproof.run.footprint import ARTIFACT, looking_memory
from stillproof.run.stage import Answer, Job, Stage
from stillproof.run.stages.attack import AttackStage
from stillproof.run.trained_models import read_of_training
from stillproof.score.attacked_images import outcome_summary
from stillproof.suites.requests import Request
from stillproof.train.model import TEST_BATCH, space_of

if TYPE_CHECKING:
    from stillproof.run.plan import Planner


@stages.register("transfer", version=1)
@dataclass(frozen=True)
class Transfer(Stage):
    """An attack that was crafted on one model, to its last step, and is judged on another.

    Args:
        of: The attack; its images are kept for all models that they are shown to.
        model: The model that judges.
    """

    of: Request
    model: Request

    def plan(self, planner: Planner) -> Planned:
        """Plan the judgement, the attack and the model that judges."""
        asked = planner.stage(self.of)
        if not isinstance(asked, AttackStage):
            raise BadInput(f"{self.of} is no attack whose images could be shown to another model.")
        made = planner.plan(self.of.but(keep=True, all_steps=True))
        judge = plan_model(planner, self.model, asked.dataset)
        info = planner.names.data(asked.dataset, "test").info
        _, flops = planner.names.network(judge.network, info)
        return Planned(
            spec={"attack": made.id, "model": judge.spec, **{key: made.spec[key] for key in _REPEATED}},
            label=f"{made.label}, judged by {judge.label}",
            needs=(made.id, *judge.needs),
            flops=2 * made.spec["images"] * flops,
            where=made.where,
            memory=looking_memory(planner.names.network_size(judge.network, info), TEST_BATCH),
            disk=10 * made.spec["images"] + ARTIFACT,
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Ask the model of the images as they were and as they are."""
        spec, store = job.spec, job.store
        test = job.data(spec["test"], job.where["part"])
        crafted = job.answer_of(spec["attack"])
        examples = read_of_training(store, crafted["examples"])
        judge = read_attacked(spec["model"], job, test.info)
        space, protocol = space_of(examples.card["space"]), attack_protocol(spec["protocol"])
        if space != protocol.space(judge.space):
            raise Unsupported(
                f"under {protocol.written} {space.kind} images are shown, and this model normalises in another way."
            )
        ctx = job.context(Seeds(spec["seed"]).child("attack"))
        tensors = examples.tensors
        labels, before = tensors["labels"], test.read(slice(0, spec["images"]))
        draws = protocol.rules(all_steps=True, keep_images=False).draws
        clean, clean_share = judged_by(judge.model, before, labels.long(), ctx, draws=draws)
        shown = tensors["images"]
        after, right_share = judged_by(protocol.victim(judge.model), shown, labels.long(), ctx, draws=draws)
        clean, after = clean.to(CLASS), after.to(CLASS)
        right = clean == labels
        robust = protocol.robust(right, after == labels)
        fooled = after == tensors["targets"] if "targets" in tensors else after != labels
        found = {"labels": labels, "clean_predictions": clean, "predictions": after, "clean_right": right}
        found |= {"robust": robust, "fooled": fooled, "success": right & fooled}
        at_random = clean_share is not None or right_share is not None
        if at_random:
            found["clean_share"] = right.float() if clean_share is None else clean_share
            found["right_share"] = (after == labels).float() if right_share is None else right_share
        card = {"test": spec["test"], "attack": spec["attack"], "cell": job.cell}
        outcomes = store.keep(KIND, found, card, cell=job.cell)
        result = outcome_summary(found) | {
            "outcomes": outcomes,
            "model": judge.artifact,
            "crafted_on": crafted["model"],
            **({"draws": draws, "notes": {WARNINGS: {"draws": draws_sentence(draws)}}} if at_random else {}),
        }
        return Answer(result, numerics(job.device), (outcomes,), (spec["attack"], *judge.cells))


_REPEATED = ("test", "images", "protocol", "seed")  # what the attack's spec has said already
