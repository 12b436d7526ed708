"""An attack on a trained network: what came of it for every image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.failures import refuse_failures
from stillproof.attack.base.outcome import Outcome
from stillproof.attack.base.suspicions import note_flat
from stillproof.attack.base.targets import Policy
from stillproof.attack.protocols.named import attack_protocol
from stillproof.core.components import attacks, stages
from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.core.mad_attacks import resolve_mad
from stillproof.core.provenance import Meter
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.core.types import DataInfo, Split
from stillproof.nets.chunks import WORKING_SET
from stillproof.run.attack_examples import keep_examples
from stillproof.run.attack_names import attack_called, shown
from stillproof.run.attack_outcomes import BYTES_PER_IMAGE, KIND, outcome_tensors, summarised
from stillproof.run.attacked_images import ONLY_PIXELS
from stillproof.run.attacked_model import plan_model, read_attacked
from stillproof.run.attacker import Attacker, OutcomeParts
from stillproof.run.cell import Planned
from stillproof.run.footprint import ARTIFACT, VALUE, training_memory
from stillproof.run.learned_attacks import note_learned
from stillproof.run.stage import Answer, Job, Stage, recorded
from stillproof.suites.requests import Request
from stillproof.train.model import TrainedModel

if TYPE_CHECKING:
    from stillproof.core.types import ImageSet
    from stillproof.run.plan import Planner


@stages.register("attack", version=1)
@dataclass(frozen=True)
class AttackStage(Stage):
    """An attack on the first images of a split; those that it keeps are images to train on, or to be tested on.

    Args:
        model: The network: a training, the choice of its epoch, or a model of the store.
        dataset: The data set that it was trained for.
        attack: The attack, as in ``pgd:eps=8/255:steps=20``.
        targets: Which classes it aims at; none if untargeted.
        limit: Number of images; all by default.
        seed: Its seed.
        protocol: Whether pixels are attacked (``fair``), or what an origin does (``faithful:beard``).
        keep: Whether the changed images are kept.
        all_steps: Whether it makes all its steps with every image, and the last image counts, fooled or not: what is
            shown to other models should not stop just behind a border of this one.
        part: Which split is attacked.
    """

    model: Request
    dataset: str
    attack: str
    targets: Policy | None = None
    limit: int | None = None
    seed: int = 0
    protocol: str = "fair"
    keep: bool = False
    all_steps: bool = False
    part: Split = "test"

    def plan(self, planner: Planner) -> Planned:
        """Plan the attack, and the model that it needs."""
        test = planner.names.data(self.dataset, self.part)
        model = plan_model(planner, self.model, self.dataset)
        attack = self.checked_attack(test.info)
        images = image_count(self.limit, test.total, self.dataset, self.part)
        _, flops = planner.names.network(model.network, test.info)
        size = planner.names.network_size(model.network, test.info)
        spec: Json = {
            "model": model.spec,
            "test": test.id,
            "images": images,
            "attack": attacks.identity(attack),
            "targets": self.targets,
            "protocol": attack_protocol(self.protocol).written,
            "seed": self.seed,
        }
        aimed = "" if self.targets is None else "targeted "
        kept = VALUE * images * test.info.channels * test.info.size**2 if self.keep else 0
        return Planned(
            spec=spec | self._besides(),
            label=f"{aimed}{shown(self.attack)} on {model.label}{self._of_part()}",
            needs=model.needs,
            flops=attack.passes * images * flops,
            where={"dataset": self.dataset, "part": self.part, "network": model.network},
            images=images if self.keep else None,
            memory=training_memory(size, max(1, WORKING_SET // (VALUE * max(1, size.largest_map)))) + kept,
            disk=images * BYTES_PER_IMAGE + kept + ARTIFACT,
        )

    def images(self, planner: Planner) -> None:
        """Refuse an attack whose images nobody could be shown; else its cell has them."""
        made = f"{shown(self.attack)} on {self.part} images of {self.dataset}"
        if not self.keep:
            raise BadInput(f"{made} keeps no images: ask for it with keep=True.")
        if not attack_protocol(self.protocol).in_pixels:
            raise BadInput(f"{made} under protocol {self.protocol} leaves images that are no pixels: {ONLY_PIXELS}")

    def _of_part(self) -> str:
        """Return what a label says of images that are no test images."""
        return "" if self.part == "test" else f", {self.part} images"

    def _besides(self) -> Json:
        """Return what is asked besides, as far as it makes a difference: a protocol may make all steps anyway."""
        always = attack_protocol(self.protocol).always_all_steps
        asked = {"keep": self.keep, "all_steps": self.all_steps and not always}
        return {key: value for key, value in asked.items() if value}

    def checked_attack(self, info: DataInfo) -> Attack:
        """Return the attack; a radius that means nothing for such images is refused."""
        attack = attack_called(resolve_mad(self.attack, info), attack_protocol(self.protocol))
        attack.check(torch.empty(1, info.channels, info.size, info.size), targeted=False)
        return attack

    @staticmethod
    def compute(job: Job) -> Answer:
        """Attack batch by batch, and keep what came of every image."""
        spec = job.spec
        test = job.data(spec["test"], job.where["part"])
        attacked = read_attacked(spec["model"], job, test.info)
        attacker = attacker_of(spec, attacked.model, test)
        ctx = job.context(Seeds(spec["seed"]).child("attack"))
        with Meter() as meter:
            outcome = attack_all(attacker, torch.arange(spec["images"]), ctx, job)
        note_learned(ctx.notes, attacked.card, test.id, range(spec["images"]))
        protocol = attacker.protocol
        card = {key: spec[key] for key in ("test", "attack", "targets", "protocol")} | {"cell": job.cell}
        outcomes = job.store.keep(KIND, outcome_tensors(outcome, protocol), card, cell=job.cell)
        examples = keep_examples(job, outcome, attacker, card, attacked.space) if spec.get("keep") else None
        result = summarised(outcome, protocol) | {
            "outcomes": outcomes,
            "examples": examples,
            "model": attacked.artifact,
            "peak_bytes": meter.peak_bytes,
            "notes": ctx.notes,
        }
        kept = (outcomes, examples) if examples else (outcomes,)
        return Answer(result, recorded(ctx), kept, attacked.cells)


def attack_all(attacker: Attacker, places: Tensor, ctx: Context, job: Job) -> Outcome:
    """Attack the images at some places of a split, batch by batch, from a checkpoint if there is one."""
    found = OutcomeParts(ctx.notes)
    batches = torch.split(places, attacker.batch)
    with attacker.victim(len(places), ctx) as victim:
        # Its name has the size of batches, so that a loop with batches of another size is not gone on with.
        for number in ctx.loop(len(batches), name=f"batches-of-{attacker.batch}", outcomes=found):
            found.parts.append(attacker.run(victim, batches[number], ctx))
            job.say(found.fooled_so_far())
    outcome = found.whole()
    note_flat(ctx.notes, outcome)
    refuse_failures(ctx.notes)
    return outcome


def attacker_of(spec: Json, model: TrainedModel, test: ImageSet) -> Attacker:
    """Return the attack that a spec asks for, on a model."""
    attack = attacks.rebuild(spec["attack"])
    assert isinstance(attack, Attack)
    return Attacker(
        attack,
        model,
        test,
        attack_protocol(spec["protocol"]),
        spec["targets"],
        all_steps=spec.get("all_steps", False),
        keep_images=spec.get("keep", False),
    )


def image_count(limit: int | None, total: int, dataset: str, part: Split = "test") -> int:
    """Return how many images of a split are attacked."""
    if limit is None:
        return total
    if not 1 <= limit <= total:
        raise BadInput(f"limit = {limit} is not allowed: {dataset} has {total} {part} images, of which at least 1.")
    return limit
