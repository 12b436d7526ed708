"""The teachers that a set's labels come from: models of the store, which must be there and be of its data set."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from torch import Tensor

from stillproof.core.errors import BadInput, Corrupt
from stillproof.core.model_card import check_model_card
from stillproof.core.spec import Json
from stillproof.core.tensor_size import size_in_bytes
from stillproof.core.types import DataInfo, Distilled, Taught
from stillproof.nets.build import forward_flops
from stillproof.sets.fronts import front_of
from stillproof.store.artifact_files import Artifact
from stillproof.store.store import Store
from stillproof.train.model import TrainedModel, data_info, load_model, network_of, space_of
from stillproof.train.teachers import Teacher
from stillproof.transforms.zca import ZCA


def read_teachers(distilled: Distilled, store: Store, dataset: str, info: DataInfo, device: str) -> list[Teacher]:
    """Return the teachers of a set that is trained on, ready to be asked; none, if its labels need none."""
    found = []
    for stored in checked_teachers(distilled, store, dataset, info):
        network = network_of(stored.tensors, stored.card)
        flops = forward_flops(network, info.channels, info.size, info.num_classes)
        found.append(Teacher(load_stored(stored, store, device), flops))
    return found


def checked_teachers(distilled: Distilled, store: Store, dataset: str, info: DataInfo) -> list[Artifact]:
    """Return the teachers that training on a set needs; none, if its labels need none.

    Args:
        distilled: The set.
        store: Where its teachers are.
        dataset: Where it is tested; on another data set than its own, its teachers need only fit.
        info: What is known of that data set.

    Raises:
        BadInput: One is missing or is of other data, or they take other bytes than the set's card says.
    """
    if not isinstance(distilled.labels, Taught):
        return []
    stored = stored_teachers(distilled.labels, store)
    for teacher in stored:
        (check_teacher if dataset == distilled.card.dataset else _check_fits)(teacher.card, info)
    said, size = distilled.labels.teacher_bytes, sum(size_in_bytes(one.tensors.values()) for one in stored)
    if size != said:
        raise BadInput(f"the card of this set says that its teachers take {said} bytes, and they take {size}.")
    return stored


def stored_teachers(labels: Taught, store: Store) -> list[Artifact]:
    """Return the artifacts of a set's teachers; one that is not there is named, with what makes it."""
    return [_stored(teacher, labels.made_by, store) for teacher in labels.teachers]


def _stored(teacher: str, command: str, store: Store) -> Artifact:
    if store.artifacts.tensors_bytes(teacher) is None:
        raise BadInput(
            f"the labels of this set come from teacher {teacher[:12]}, which is not in this store: {command} makes it."
        )
    try:
        stored = store.artifacts.read(teacher)
    except Corrupt as error:
        store.reopen_maker(teacher)
        raise Corrupt(f"{error} It is a teacher that this set needs: {command} makes it again.") from error
    if stored.kind != "model":
        raise BadInput(f"the labels of this set come from {teacher[:12]}, which is no model but of kind {stored.kind}.")
    check_model_card(stored.card)
    return stored


def check_teacher(card: Json, info: DataInfo) -> None:
    """Refuse a teacher of another data set, another number of classes or another size of images."""
    its = data_info(card["info"])
    if (its.name, its.class_names) != (info.name, info.class_names):
        raise BadInput(
            f"the teacher is of {its.name}, and the set of {info.name}: name a teacher of the same data set."
        )
    _check_fits(card, info)


def _check_fits(card: Json, info: DataInfo) -> None:
    """Refuse a teacher of another number of classes or another size of images."""
    its = data_info(card["info"])
    if its.num_classes != info.num_classes:
        raise BadInput(f"the teacher knows {its.num_classes} classes, and {info.name} has {info.num_classes}.")
    if (its.channels, its.size) != (info.channels, info.size):
        sizes = [f"({one.channels}, {one.size}, {one.size})" for one in (its, info)]
        raise BadInput(f"the teacher sees images {sizes[0]}, and those of {info.name} are {sizes[1]}.")


def load_stored(stored: Artifact, store: Store, device: str) -> TrainedModel:
    """Build a model of the store again, with its own front."""
    front = front_of(space_of(stored.card["space"]), store)
    return load_model(stored.tensors, stored.card, device, front if isinstance(front, ZCA) else None)


def taught_by(classes: Tensor, stored: Sequence[Artifact], store: Store) -> Taught:
    """Return labels that models of the store give."""
    size = sum(size_in_bytes(one.tensors.values()) for one in stored)
    return Taught(classes, [one.id for one in stored], size, _made_by(stored, store))


def _made_by(models: Sequence[Artifact], store: Store) -> str:
    """Return the commands that make models of the store, for those who have a set without its teachers."""
    seeds: dict[str, int] = {}
    for model in models:
        command, count = _command(model, store)
        seeds[command] = max(count, seeds.get(command, 0))
    written = [f"`{command} --seeds {count}`" if count else command for command, count in seeds.items()]
    return " and ".join(written)


def _command(model: Artifact, store: Store) -> tuple[str, int]:
    """Return a command without its number of seeds, and that number; 0 where it has none."""
    upstream = model.card["upstream"]
    if "imported" in upstream:
        file, dataset = (shlex.quote(word) for word in (upstream["imported"], model.card["info"]["name"]))
        return f"`stillproof import {file} --dataset {dataset}`", 0
    cell = store.cell_of(model.id)
    record = store.results.get(cell) if cell else None
    if record is None or record.where.get("part") != "train":  # no command trains on a part alone
        return "the command that made the set", 0
    where = record.where
    words = ("train", where["dataset"], "--network", where["network"], "--recipe", where["recipe"])
    chosen = " --selection oracle" if "curve_points" in record.spec["recipe"] else ""  # else only the end is kept
    return f"stillproof {shlex.join(words)}{chosen}", record.spec["seed"] + 1
