"""The model that is attacked: a training of the same plan, or one that is in the store already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.core.errors import BadInput
from stillproof.core.model_card import check_model_card
from stillproof.core.spec import Json
from stillproof.core.types import DataInfo, Space
from stillproof.run.cell import Cell
from stillproof.run.stage import Job
from stillproof.run.stages.model import StoredModel
from stillproof.run.trained_models import last_model, read_of_training
from stillproof.sets.teachers import load_stored
from stillproof.suites.requests import Request
from stillproof.train.model import TrainedModel, data_info, space_of

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

MAKERS = ("train", "meta-train", "adapt")  # stages that leave a network


@dataclass(frozen=True)
class PlannedModel:
    """What a plan knows of a model.

    Args:
        spec: How specs name it: by the cell that trains it or, if there is none, by its content.
        needs: The cells that come first.
        network: Its network's reference.
        label: What people read.
    """

    spec: Json
    needs: tuple[str, ...]
    network: str
    label: str


@dataclass(frozen=True)
class AttackedModel:
    """A model of the store, on the device.

    Args:
        model: The model.
        space: The space that its body sees.
        artifact: Its id.
        cells: The training, or the choice of its epoch, that it came from.
        card: What is known of it.
    """

    model: TrainedModel
    space: Space
    artifact: str
    cells: tuple[str, ...]
    card: Json


def plan_model(planner: Planner, asked: Request, dataset: str) -> PlannedModel:
    """Plan the model that is attacked on a data set's test images; one for other data is refused."""
    info = planner.names.data(dataset, "test").info
    stage = planner.stage(asked)
    if isinstance(stage, StoredModel):
        needs = () if stage.cell else (planner.plan(asked).id,)
        spec = {"cell": stage.cell} if stage.cell else {"artifact": stage.artifact}
        return PlannedModel(spec, needs, stage.network, stage.name or f"model {stage.artifact[:12]}")
    cell = planner.plan(asked)
    train = planner.cells[cell.spec["train"]] if cell.stage == "select" else cell
    if train.stage not in MAKERS:
        raise BadInput(f"{cell.label} is not a trained network, so that it cannot be attacked.")
    check_same_data(planner.names.data(train.where["dataset"], "test").info, info)
    named = _named_by(cell, train)
    return PlannedModel({"cell": named}, (named,), train.where["network"], train.label.removeprefix("train "))


def read_attacked(spec: Json, job: Job, info: DataInfo) -> AttackedModel:
    """Return the model that a spec names; one for other data is refused."""
    cells: tuple[str, ...] = (spec["cell"],) if "cell" in spec else ()
    artifact = _chosen_model(spec["cell"], job) if cells else str(spec["artifact"])
    stored = read_of_training(job.store, artifact)
    if stored.kind != "model":
        raise BadInput(f"artifact {artifact[:12]} is of kind {stored.kind}, and not a model that could be attacked.")
    check_model_card(stored.card)
    check_same_data(data_info(stored.card["info"]), info)
    model = load_stored(stored, job.store, job.device)
    return AttackedModel(model, space_of(stored.card["space"]), artifact, cells, stored.card)


def _chosen_model(cell: str, job: Job) -> str:
    """Return the model of a training after its last epoch, or of the epoch that was chosen."""
    answer = job.answer_of(cell)
    return str(answer["model"]) if "model" in answer else last_model(cell, job)


def check_same_data(its: DataInfo, info: DataInfo) -> None:
    """Refuse a model of another data set, another number of classes or another size of images."""
    if its.num_classes != info.num_classes:
        raise BadInput(f"the model knows {its.num_classes} classes, and {info.name} has {info.num_classes}.")
    if (its.channels, its.size) != (info.channels, info.size):
        sizes = [f"({one.channels}, {one.size}, {one.size})" for one in (its, info)]
        raise BadInput(f"the model sees images {sizes[0]}, and those of {info.name} are {sizes[1]}.")
    if (its.name, its.class_names) != (info.name, info.class_names):
        raise BadInput(f"the model is for {its.name}, and the images are of {info.name}: name its own data set.")


def _named_by(cell: Cell, train: Cell) -> str:
    """Return the cell that names a model: its training if the last epoch counts, however it was asked for."""
    return train.id if cell.stage in MAKERS or cell.spec["rule"] == "last" else cell.id
