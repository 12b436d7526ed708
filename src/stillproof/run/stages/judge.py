"""What a trained network says of labelled images, wherever they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.core.components import stages
from stillproof.core.provenance import numerics
from stillproof.core.spec import Json
from stillproof.run.attack_outcomes import CLASS
from stillproof.run.attacked_model import plan_model, read_attacked
from stillproof.run.cell import Planned
from stillproof.run.footprint import ARTIFACT, looking_memory
from stillproof.run.labelled_images import as_pixels, places_of, read_images
from stillproof.run.learned_attacks import note_learned
from stillproof.run.stage import Answer, Job, Stage
from stillproof.suites.requests import Request
from stillproof.train.model import TEST_BATCH, predict

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

KIND = "judged-images"
BYTES_PER_IMAGE = 5


@stages.register("judge", version=1)
@dataclass(frozen=True)
class Judge(Stage):
    """A network's accuracy on any images: a split of its data set, a distilled set, or what an attack has kept.

    Args:
        model: The network: a training, the choice of its epoch, or a model of the store.
        on: The images.
    """

    model: Request
    on: Request

    def plan(self, planner: Planner) -> Planned:
        """Plan the judgement, the network and the images."""
        images = planner.images(self.on)
        judge = plan_model(planner, self.model, images.dataset)
        info = planner.names.data(images.dataset, "test").info
        _, flops = planner.names.network(judge.network, info)
        return Planned(
            spec={"model": judge.spec, "on": images.spec},
            label=f"{images.label}, judged by {judge.label}",
            needs=tuple(dict.fromkeys((*images.needs, *judge.needs))),
            flops=images.count * flops,
            where={"dataset": images.dataset, "part": images.part, "network": judge.network},
            memory=looking_memory(planner.names.network_size(judge.network, info), TEST_BATCH),
            disk=BYTES_PER_IMAGE * images.count + ARTIFACT,
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Ask the network, and keep what it says of every image."""
        spec = job.spec
        images = as_pixels(read_images(spec["on"], job.where["part"], job), job)
        judge = read_attacked(spec["model"], job, images.info)
        said = predict(judge.model, images, job.device)
        right = said == images.labels
        tensors = {"labels": images.labels.to(CLASS), "predictions": said.to(CLASS), "right": right}
        outcomes = job.store.keep(KIND, tensors, {"on": spec["on"], "cell": job.cell}, cell=job.cell)
        n = len(images)
        result: Json = {"n": n, "accuracy": int(right.sum()) / n, "outcomes": outcomes, "model": judge.artifact}
        notes: Json = {}
        note_learned(notes, judge.card, *places_of(spec["on"], n, job))
        result |= {"notes": notes} if notes else {}
        made = (spec["on"]["cell"],) if "cell" in spec["on"] else ()
        return Answer(result, numerics(job.device), (outcomes,), (*made, *judge.cells))
