"""An attacked data set: what an attack makes of some images of every class, to learn a defence from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.failures import refuse_failures
from stillproof.attack.base.suspicions import note_zero_gradients
from stillproof.attack.protocols.named import attack_protocol
from stillproof.core.components import attacks, stages
from stillproof.core.errors import BadInput
from stillproof.core.mad_attacks import is_mad, mad_attack, resolve_mad
from stillproof.core.provenance import Meter
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.core.types import ImageSet, Split
from stillproof.data.source_split import check_division, chosen_sources, roles_of
from stillproof.nets.chunks import WORKING_SET
from stillproof.run.attack_names import attack_called, shown
from stillproof.run.attacked_model import plan_model, read_attacked
from stillproof.run.attacked_set import AttackedParts, attacked_part, keep_attacked_set
from stillproof.run.attacker import KEPT_NOTES, Attacker
from stillproof.run.cell import Planned
from stillproof.run.footprint import ARTIFACT, VALUE, training_memory
from stillproof.run.stage import Answer, Job, Stage, recorded
from stillproof.score.attacked_set import attacked_set_summary
from stillproof.suites.requests import Request

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

USUAL_SPLIT = (14, 5, 11)  # shares of the images of a class: to learn from, to choose by, to test on
BYTES_PER_IMAGE = 40  # besides its pixels


@stages.register("attacked-set", version=1)
@dataclass(frozen=True)
class AttackedSet(Stage):
    """Images of every class under one attack, made to its last step and kept as bytes, with the source of each.

    Args:
        model: The network: a training, the choice of its epoch, or a model of the store.
        dataset: The data set that it was trained for.
        attack: The attack, as in ``pgd:eps=8/255`` or ``mad/18``.
        per_class: Images per class, drawn at random; by default as many as the smallest class has.
        split: Shares of the sources for training, validation and test.
        seed: Seed of the sources, of their split and of the attack.
        protocol: ``fair`` or ``faithful:mad``.
        part: Which split the sources are of.
    """

    model: Request
    dataset: str
    attack: str
    per_class: int | None = None
    split: tuple[int, ...] = USUAL_SPLIT
    seed: int = 0
    protocol: str = "fair"
    part: Split = "test"

    def plan(self, planner: Planner) -> Planned:
        """Plan the attack, and the model that it needs."""
        data = planner.names.data(self.dataset, self.part)
        model = plan_model(planner, self.model, self.dataset)
        protocol, reference = attack_protocol(self.protocol), resolve_mad(self.attack, data.info)
        if not protocol.in_pixels:
            raise BadInput(f"protocol {self.protocol} leaves images that are no pixels: choose fair or faithful:mad.")
        attack = attack_called(reference, protocol)
        attack.check(torch.empty(1, data.info.channels, data.info.size, data.info.size), targeted=False)
        per_class = self.checked_count(data.smallest)
        _, flops = planner.names.network(model.network, data.info)
        size = planner.names.network_size(model.network, data.info)
        images = per_class * data.info.num_classes
        pixels = images * data.info.channels * data.info.size**2
        called = {"called": mad_attack(self.attack).name} if is_mad(self.attack) else {}
        return Planned(
            spec={
                "model": model.spec,
                "test": data.id,
                "per_class": per_class,
                "split": list(self.split),
                "attack": attacks.identity(attack),
                "protocol": protocol.written,
                "seed": self.seed,
            }
            | called,
            label=f"{images} images under {shown(self.attack)}, {model.label}",
            needs=model.needs,
            flops=attack.passes * images * flops,
            where={"dataset": self.dataset, "part": self.part, "network": model.network},
            images=images,
            memory=training_memory(size, max(1, WORKING_SET // (VALUE * max(1, size.largest_map)))) + 3 * pixels,
            disk=pixels + images * BYTES_PER_IMAGE + ARTIFACT,
        )

    def checked_count(self, smallest: int) -> int:
        """Return the number of images per class; more than a class has, and too few to divide, are refused."""
        wanted = smallest if self.per_class is None else self.per_class
        if wanted > smallest:
            raise BadInput(
                f"per_class = {wanted} is not allowed: the smallest class of {self.dataset} has {smallest} "
                f"{self.part} images."
            )
        check_division(wanted, self.split)
        return wanted

    @staticmethod
    def compute(job: Job) -> Answer:
        """Attack image by image, or batch by batch, and keep what came out as bytes."""
        spec = job.spec
        data = job.data(spec["test"], job.where["part"])
        attacked = read_attacked(spec["model"], job, data.info)
        attack = attacks.rebuild(spec["attack"])
        assert isinstance(attack, Attack)
        protocol = attack_protocol(spec["protocol"])
        attacker = Attacker(attack, attacked.model, data, protocol, all_steps=True, keep_images=True)
        ctx = job.context(Seeds(spec["seed"]).child("attack"))
        sources, roles = sources_of(spec, data)
        found = AttackedParts(ctx.notes, KEPT_NOTES)
        batches = torch.split(sources, attacker.batch)
        with Meter() as meter, attacker.victim(len(sources), ctx) as victim:
            for number in ctx.loop(len(batches), name=f"batches-of-{attacker.batch}", found=found):
                outcome = attacker.run(victim, batches[number], ctx)
                seeds = ctx.seeds.child("bytes", number)
                found.parts.append(attacked_part(outcome, victim, protocol, seeds, ctx.device))
                found.seconds += outcome.seconds
                job.say(found.turned_so_far())
        refuse_failures(ctx.notes)
        whole = found.whole()
        right = whole["clean"] == whole["labels"]
        stuck = whole["no_gradient"] & right & (whole["said"] == whole["labels"])
        note_zero_gradients(ctx.notes, int(stuck.sum()), int(right.sum()))
        card = card_of(spec, job.where, protocol.truncates) | {
            "model": attacked.artifact,
            "cell": job.cell,
        }
        artifact = keep_attacked_set(job.store, whole, sources, roles, card, data, job.cell)
        result: dict[str, Any] = attacked_set_summary(whole) | {
            "artifact": artifact,
            "model": attacked.artifact,
            "seconds": found.seconds,
            "bytes": whole["images"].numel(),
            "peak_bytes": meter.peak_bytes,
            "notes": ctx.notes,
        }
        return Answer(result, recorded(ctx), (artifact,), attacked.cells)


def sources_of(spec: Json, data: ImageSet) -> tuple[Tensor, Tensor]:
    """Return where the attacked images come from, and the role of each, as a place in ``ROLES``.

    Under ``fair`` a source has the same role under every attack, so that nobody is tested on images that they learned
    under another one. The original draws roles for each attack anew.
    """
    seeds, labels = Seeds(spec["seed"]), data.labels.numpy()
    chosen = chosen_sources(labels, spec["per_class"], seeds.child("sources"))
    if attack_protocol(spec["protocol"]).splits_sources_once:
        drawn = seeds.child("roles")
    else:
        drawn = seeds.child("roles", attacks.reference(attacks.rebuild(spec["attack"])))
    return torch.from_numpy(chosen), torch.from_numpy(roles_of(labels[chosen], spec["split"], drawn))


def card_of(spec: Json, where: Json, truncated: bool) -> Json:
    """Return what is known of an attacked set."""
    reference = attacks.reference(attacks.rebuild(spec["attack"]))
    return {key: spec[key] for key in ("test", "attack", "protocol", "per_class", "split", "seed")} | {
        "called": spec.get("called", shown(reference)),
        "reference": shown(reference),
        "dataset": where["dataset"],
        "part": where["part"],
        "truncated": truncated,
    }
