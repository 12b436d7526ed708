"""How much of the real images a distilled set covers, class by class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.core.components import stages
from stillproof.core.errors import BadInput, Unsupported
from stillproof.core.provenance import numerics
from stillproof.core.spec import Json
from stillproof.run.cell import Cell, Images, Planned
from stillproof.run.features import Features, read_embedder, sample_of_class
from stillproof.run.footprint import looking_memory
from stillproof.run.stage import Answer, Job, Stage
from stillproof.run.stages.artifact import StoredSet
from stillproof.run.stages.data import Data
from stillproof.run.stages.distill import Distill
from stillproof.run.stages.snapshot import Snapshot
from stillproof.score.coverage import coverage
from stillproof.sets.read import read_set
from stillproof.suites.requests import Request
from stillproof.train.model import TEST_BATCH

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

NEIGHBOUR = 5  # k, as in the paper
MOST_REAL = 1000  # images of a class


@stages.register("coverage", version=1)
@dataclass(frozen=True)
class Coverage(Stage):
    """The share of real images that have a distilled one nearby, in the features of a network trained on real ones.

    Args:
        of: The distilled set.
        model: The network's training.
    """

    of: Request
    model: Request

    def plan(self, planner: Planner) -> Planned:
        """Plan the coverage, the set itself and the network that looks at it."""
        model = planner.plan(self.model)
        real = same_source(planner, [self.of], model)
        made = planner.images(self.of)
        data = planner.names.data(real.dataset, real.part)
        spec = {"model": model.id, "set": set_spec(made), "data": data.id, "k": NEIGHBOUR, "most_real": MOST_REAL}
        _, flops = planner.names.network(model.where["network"], data.info)
        images = min(data.total, data.info.num_classes * MOST_REAL) + made.count
        return Planned(
            spec=spec,
            label=f"coverage of {made.label}",
            needs=(model.id, *made.needs),
            flops=images * flops,
            where={"dataset": real.dataset, "part": real.part},
            memory=looking_memory(planner.names.network_size(model.where["network"], data.info), TEST_BATCH),
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Measure the coverage of every class, and their mean."""
        spec = job.spec
        data = job.data(spec["data"], job.where["part"])
        distilled = read_set(job.store, artifact_of(spec["set"], job))
        embedder = read_embedder(spec["model"], job)
        shares: list[float] = []
        real = synthetic = 0
        for label in range(data.num_classes):
            job.report(label / data.num_classes)
            points = embedder.real(data, sample_of_class(data, label, spec["most_real"]))
            others = embedder.distilled(distilled, label)
            shares.append(class_coverage(points, others, spec["k"], label))
            real, synthetic = real + len(points), synthetic + len(others)
        mean = math.fsum(shares) / len(shares)
        result = {"coverage": mean, "per_class": shares, "k": spec["k"], "real": real, "synthetic": synthetic}
        return Answer(result, numerics(job.device))


def same_source(planner: Planner, sets: Sequence[Request], model: Cell) -> Data:
    """Return the real images that sets are of; refuse different ones, or a network of another data set."""
    if not sets:
        raise BadInput("there is no distilled set to look at: name at least one.")
    sources = {_source(planner, request) for request in sets}
    if "network" not in model.where or "dataset" not in model.where:
        raise BadInput(f"{model.label} is not a trained network, and images are compared by the features of one.")
    if len(sources) > 1:
        found = " and ".join(sorted(f"{real.dataset} ({real.part})" for real in sources))
        raise BadInput(f"sets that are looked at together must be of the same real images, not of {found}.")
    (real,) = sources
    if model.where["dataset"] != real.dataset:
        what = f"a set of {real.dataset} needs a network that was trained for it"
        raise BadInput(f"{what}, not one for {model.where['dataset']}.")
    return real


def set_spec(made: Images) -> str | Json:
    """Return how a spec names a set that is looked at: by the cell that makes it or, if there is none, by content."""
    cell: str | None = made.spec.get("cell")
    return cell or made.spec


def artifact_of(named: str | Json, job: Job) -> str:
    """Return the artifact of a set that a spec names."""
    return str(job.answer_of(named)["artifact"] if isinstance(named, str) else named["artifact"])


def _source(planner: Planner, request: Request) -> Data:
    made = planner.stage(request)
    if isinstance(made, Snapshot):
        return _source(planner, made.of)
    if isinstance(made, StoredSet):
        return Data(made.dataset, made.part)
    if not isinstance(made, Distill):
        raise BadInput(f"{request} is not a distilled set that could be looked at.")
    return made.source(planner)


def class_coverage(real: Features, synthetic: Features, k: int, label: int) -> float:
    """Return the coverage of one class; a set without an image of it covers nothing."""
    if len(real) <= k:
        why = f"the ball of a real image reaches to its neighbour number {k}"
        raise Unsupported(f"coverage is not defined: {why}, and class {label} has {len(real)} real images.")
    return coverage(real, synthetic, k) if len(synthetic) else 0.0
