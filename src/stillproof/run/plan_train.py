"""Plans training runs and the choice of their epochs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.core.errors import BadInput
from stillproof.core.source import file_hash, module_hash
from stillproof.core.spec import Json
from stillproof.distill.grids.grid import images_each
from stillproof.run.cell import SPEC_FORMAT, Cell
from stillproof.run.plan_distill import SHARED, TRAIN
from stillproof.suites.requests import (
    ArtifactRequest,
    DataRequest,
    DistillRequest,
    SelectRequest,
    SnapshotRequest,
    TrainRequest,
)

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

# What training runs through besides the components that it names, the file alone.
TRAINING = ("stillproof.run.train_cell", "stillproof.run.training_data", "stillproof.run.zca_cell")


@dataclass(frozen=True, slots=True)
class Upstream:
    """What a training run trains on: its part of the spec, the cell that makes it, its size and its name."""

    spec: Json
    needs: tuple[str, ...]
    images: int
    label: str


def plan_train(planner: Planner, request: TrainRequest) -> Cell:
    """Plan a training run, and the distilled set that it needs."""
    on = request.on
    made = on.of if isinstance(on, SnapshotRequest) else on
    dataset = made.data.dataset if isinstance(made, DistillRequest) else made.dataset
    part = on.part if isinstance(on, DataRequest) else None
    upstream = _upstream(planner, on)
    test = planner.names.data(dataset, "test")
    recipe, recipe_spec = planner.names.recipe(request.recipe)
    network, flops = planner.names.network(request.network, test.info)
    spec = {
        "stage": "train",
        "format": SPEC_FORMAT,
        "upstream": upstream.spec,
        "test": test.id,
        "heldout": planner.names.data(dataset, request.heldout).id if request.heldout else None,
        "info": test.info_spec(),
        "network": network,
        **recipe_spec,
        "path": [*map(file_hash, TRAINING), *map(module_hash, (*SHARED, *TRAIN))],
        "seed": request.seed,
    }
    points = sum(recipe.is_measured(epoch) for epoch in range(recipe.epochs))
    work = (3 * recipe.epochs * upstream.images + points * test.total) * flops
    where = {"dataset": dataset, "part": part, "network": request.network, "recipe": request.recipe}
    where |= {"heldout": request.heldout} if request.heldout else {}
    label = f"train {request.network} on {upstream.label} seed {request.seed}"
    return planner.cell("train", spec, where, upstream.needs, work, label)


def plan_select(planner: Planner, request: SelectRequest) -> Cell:
    """Plan the choice of an epoch, and the training run that it chooses from."""
    train = planner.plan(request.train)
    if request.rule == "heldout" and not request.train.heldout:
        raise BadInput("selection 'heldout' needs a held-out part, which this training run does not have.")
    spec = {"stage": "select", "format": SPEC_FORMAT, "train": train.id, "rule": request.rule}
    spec["path"] = [file_hash("stillproof.run.select_cell")]
    label = f"{request.rule} epoch of {train.label}"
    return planner.cell("select", spec, {}, (train.id,), 0.0, label)


def _upstream(planner: Planner, on: DataRequest | DistillRequest | SnapshotRequest | ArtifactRequest) -> Upstream:
    if isinstance(on, SnapshotRequest):
        whole = _upstream(planner, on.of)
        return Upstream({**whole.spec, "step": on.step}, whole.needs, whole.images, f"step {on.step} of {whole.label}")
    if isinstance(on, DistillRequest):
        cell = planner.plan(on)
        info = planner.names.data(on.data.dataset, on.data.part).info
        method, _ = planner.names.method(on.method, on.scale, info.name, on.ipc)
        each = images_each(on.ipc, getattr(method, "form", "single"))  # as it is trained on
        return Upstream({"cell": cell.id}, (cell.id,), each * info.num_classes, cell.label)
    if isinstance(on, ArtifactRequest):
        spec = {"cell": on.cell} if on.cell else {"artifact": on.artifact}
        return Upstream(spec, (), on.images, on.artifact[:12])
    data = planner.names.data(on.dataset, on.part)
    return Upstream({"data": data.id}, (), data.total, f"full {data.info.name}")
