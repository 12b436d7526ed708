"""Attacked images, distilled: a few images that stand for all that an attack left, for episodes to learn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from stillproof.core.components import stages
from stillproof.core.errors import BadInput, Unsupported
from stillproof.core.needs import needs_of
from stillproof.core.presets import Scale
from stillproof.core.provenance import Meter
from stillproof.core.spec import Json
from stillproof.core.types import Hard, ImageSet
from stillproof.nets.home_network import HOME
from stillproof.run.attacked_set import as_bytes, keep_attacked_set
from stillproof.run.cell import Planned
from stillproof.run.distill_context import make_context, method_of
from stillproof.run.distilled_sets import check_distilled
from stillproof.run.footprint import ARTIFACT, training_memory
from stillproof.run.labelled_images import as_pixels
from stillproof.run.learned_attacks import as_learned, of_role, plan_sets, read_sets, sources_of
from stillproof.run.stage import Answer, Job, Stage, recorded
from stillproof.run.stages.attacked_set import AttackedSet
from stillproof.run.stages.distill import check_ipc
from stillproof.suites.requests import Request

if TYPE_CHECKING:
    from stillproof.run.plan import Planner


@stages.register("distil-attacked", version=1)
@dataclass(frozen=True)
class DistilAttacked(Stage):
    """An attacked set of distilled images, made of those that another one has to learn from.

    What is distilled has no source any more: whoever compares an image with its source finds the image itself.

    Args:
        attacked: The attacked set.
        method: The distiller, with parameters where wanted; one that needs other networks before is refused.
        ipc: Images per class.
        seed: Its seed.
        network: The network that it is distilled with.
        scale: Size of the distiller's presets.
    """

    attacked: Request
    method: str
    ipc: int
    seed: int = 0
    network: str = HOME
    scale: Scale = "paper"

    def plan(self, planner: Planner) -> Planned:
        """Plan the distillation, and the set that it is made of."""
        asked = planner.stage(self.attacked)
        if not isinstance(asked, AttackedSet):
            raise BadInput(f"{self.attacked} is no attacked set that images could be distilled from.")
        facts = planner.names.data(asked.dataset, asked.part)
        sets = plan_sets(planner, [self.attacked], asked.dataset, asked.part)
        method, method_spec = planner.names.method(self.method, self.scale, facts.info.name, self.ipc)
        needs = needs_of(method)
        if needs.whitening or needs.experts or needs.embedding or needs.teachers:
            raise BadInput(f"{self.method} needs other networks or a whitening, which attacked images have none of.")
        assert sets.least is not None
        check_ipc(self.ipc, needs.real_per_image, sets.least["train"], sets.labels[0])
        network, flops = planner.names.network(self.network, facts.info)
        size = planner.names.network_size(self.network, facts.info)
        classes = facts.info.num_classes
        passes = getattr(method, "image_passes", lambda *_: 0.0)(sets.least["train"] * classes, classes, self.ipc)
        return Planned(
            spec={
                "attacked": sets.specs[0],
                "test": facts.id,
                "info": facts.info_spec(),
                "method": method_spec,
                "network": network if needs.network else None,
                "ipc": self.ipc,
                "seed": self.seed,
            },
            label=f"{self.method} ipc {self.ipc} seed {self.seed} of {sets.labels[0]}",
            needs=sets.needs,
            flops=passes * flops,
            where={"dataset": asked.dataset, "part": asked.part, "network": self.network},
            images=self.ipc * classes,
            memory=training_memory(size, self.ipc * classes),
            disk=self.ipc * classes * facts.info.channels * facts.info.size**2 + ARTIFACT,
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Distil, and keep the images as bytes under the attack's name."""
        spec = job.spec
        (stored,) = read_sets([spec["attacked"]], job)
        test = job.data(spec["test"], job.where["part"])
        learned = of_role(stored, "train")
        data = ImageSet(learned.images, learned.labels, test.info, f"{stored.id}/train")
        ctx = make_context(job, spec, data)
        with Meter() as meter:
            distilled = method_of(spec).distill(data, spec["ipc"], ctx)
        check_distilled(distilled, data, spec["method"]["name"])
        if not isinstance(distilled.labels, Hard):
            raise Unsupported(f"{spec['method']['name']} learns labels, and episodes are drawn by class.")
        pixels = as_pixels(distilled, job)
        count = len(pixels)
        found = {"images": as_bytes(pixels.images, truncates=False), "labels": pixels.labels}
        card: Json = {key: stored.card[key] for key in stored.card if key not in ("space", "cell")}
        card |= as_learned(sources_of([stored], "train"), test.id)
        card |= {"distilled": spec["method"], "per_class": spec["ipc"], "split": [spec["ipc"], 0, 0], "cell": job.cell}
        sources, roles = torch.full((count,), -1), torch.zeros(count)
        artifact = keep_attacked_set(job.store, found, sources, roles, card, None, job.cell)
        result = {"artifact": artifact, "n": count, "notes": ctx.notes} | meter.as_dict()
        return Answer(result, recorded(ctx), (artifact,), tuple(filter(None, [spec["attacked"].get("cell")])))
