"""Plans and computes a coverage cell: how much of the real images a distilled set covers, class by class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from stillproof.core.errors import BadInput, Unsupported
from stillproof.core.provenance import numerics
from stillproof.core.source import file_hash, module_hash
from stillproof.core.spec import Json
from stillproof.run.cell import SPEC_FORMAT, Cell
from stillproof.run.features import FEATURES, FEATURES_FILES, Features, read_embedder, sample_of_class
from stillproof.run.source_data import load_exactly
from stillproof.run.world import Answer, World, answer_of
from stillproof.score.coverage import coverage
from stillproof.sets.read import read_set
from stillproof.suites.requests import CoverageRequest, DistillRequest

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

NEIGHBOUR = 5  # k, as in the paper
MOST_REAL = 1000  # images of a class
# What decides a coverage besides the features' own path, with all that it imports.
COVERING = ("stillproof.score.coverage", *FEATURES)


def plan_coverage(planner: Planner, request: CoverageRequest) -> Cell:
    """Plan how much a distilled set covers, the set itself and the network that looks at it."""
    data = planner.names.data(request.of.data.dataset, request.of.data.part)
    model, made = planner.plan(request.model), planner.plan(request.of)
    check_data([request.of], model)
    spec = {
        "stage": "coverage",
        "format": SPEC_FORMAT,
        "model": model.id,
        "set": made.id,
        "data": data.id,
        "k": NEIGHBOUR,
        "most_real": MOST_REAL,
        "path": [
            *map(file_hash, ("stillproof.run.coverage_cell", *FEATURES_FILES)),
            *map(module_hash, COVERING),
        ],
    }
    where = {"dataset": request.of.data.dataset, "part": request.of.data.part}
    _, flops = planner.names.network(request.model.network, data.info)
    images = min(data.total, data.info.num_classes * MOST_REAL) + data.info.num_classes * request.of.ipc
    return planner.cell("coverage", spec, where, (model.id, made.id), images * flops, f"coverage of {made.label}")


def check_data(sets: Sequence[DistillRequest], model: Cell) -> None:
    """Refuse to look at sets of different images at once, or with a network of another data set."""
    datasets = {(of.data.dataset, of.data.part) for of in sets}
    if not datasets:
        raise BadInput("there is no distilled set to look at: name at least one.")
    if len(datasets) > 1:
        found = " and ".join(sorted(f"{dataset} ({part})" for dataset, part in datasets))
        raise BadInput(f"sets that are looked at together must be of the same real images, not of {found}.")
    if model.where["dataset"] != sets[0].data.dataset:
        what = f"a set of {sets[0].data.dataset} needs a network that was trained for it"
        raise BadInput(f"{what}, not one for {model.where['dataset']}.")


def compute_coverage(cell_id: str, spec: Json, where: Json, world: World) -> Answer:
    """Measure the coverage of every class, and their mean."""
    data = load_exactly(spec["data"], where["dataset"], where["part"], world)
    distilled = read_set(world.store, answer_of(spec["set"], world.store)["artifact"])
    embedder = read_embedder(spec["model"], world)
    shares: list[float] = []
    real = synthetic = 0
    for label in range(data.num_classes):
        world.report(label / data.num_classes)
        points = embedder.real(data, sample_of_class(data, label, spec["most_real"]))
        others = embedder.distilled(distilled, label)
        shares.append(class_coverage(points, others, spec["k"], label))
        real, synthetic = real + len(points), synthetic + len(others)
    mean = math.fsum(shares) / len(shares)
    result = {"coverage": mean, "per_class": shares, "k": spec["k"], "real": real, "synthetic": synthetic}
    return Answer(result, numerics(world.options.device))


def class_coverage(real: Features, synthetic: Features, k: int, label: int) -> float:
    """Return the coverage of one class; a set without an image of it covers nothing."""
    if len(real) <= k:
        why = f"the ball of a real image reaches to its neighbour number {k}"
        raise Unsupported(f"coverage is not defined: {why}, and class {label} has {len(real)} real images.")
    return coverage(real, synthetic, k) if len(synthetic) else 0.0
