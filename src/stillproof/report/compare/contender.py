"""Those that are compared: a set, a model or a method, with the networks that speak for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.store.records import Record
from stillproof.store.store import Store


@dataclass(frozen=True, slots=True)
class TestedNetwork:
    """A trained network whose predictions are stored.

    Args:
        cell: The choice of its epoch, or its training if the last one counts.
        seed: Its seed.
        test: The id of the images that it was tested on.
        about: Data set, network, recipe and selection, by name.
        code: Network and recipe as its name has them, with versions.
    """

    cell: str
    seed: int
    test: str
    about: Mapping[str, str]
    code: Json


@dataclass(frozen=True, slots=True)
class Contender:
    """One side of a comparison.

    Args:
        name: What people call it.
        networks: One per seed that has an answer, at least one.
        about: What decides its accuracy besides its name.
    """

    name: str
    networks: Sequence[TestedNetwork]
    about: Mapping[str, Any]


def contender(name: str, networks: Sequence[TestedNetwork], **more: Any) -> Contender:
    """Return a contender; ``more`` is said of it besides what its networks say of themselves."""
    return Contender(name, networks, {**networks[0].about, **more})


def tested_networks(store: Store, cells: Sequence[str]) -> list[TestedNetwork]:
    """Return the networks behind those cells that are finished, in their order; other stages have none."""
    records = store.results.get_many(cells)
    done = [records[cell] for cell in cells if cell in records and records[cell].status == "done"]
    trains = store.results.get_many([record.spec["train"] for record in done if record.stage == "select"])
    found = [(record, trains.get(record.spec["train"]) if record.stage == "select" else record) for record in done]
    return [_tested(record, train) for record, train in found if train is not None and train.stage == "train"]


def cell_of_model(store: Store, model: str) -> str:
    """Return the choice that ended with a model, or its training if its last epoch was taken.

    Raises:
        BadInput: No predictions of it are stored.
    """
    train = store.cell_of(model)
    record = store.results.get(train) if train else None
    models = (record.result or {}).get("models", {}) if record else {}
    if record is None or model not in models.values():
        raise BadInput(
            f"no predictions of model {model[:12]} are stored, because it was not trained here, or was trained again "
            "since: name one that `stillproof train` made."
        )
    chosen = [cell for cell, spec in store.results.specs("select").items() if spec["train"] == record.id]
    answers = store.results.get_many(sorted(chosen)).values()
    cells = {answer.spec["rule"]: answer.id for answer in answers if (answer.result or {}).get("model") == model}
    last = record.result is not None and models.get(str(record.result["epochs"][-1])) == model
    usual = cells.get("last") or (record.id if last else None) or next(iter(cells.values()), None)
    if usual is None:
        raise BadInput(f"model {model[:12]} was not selected as the result of its training: name the one that was.")
    return usual


def _tested(record: Record, train: Record) -> TestedNetwork:
    rule = record.spec.get("rule", "last")
    names = {key: train.where[key] for key in ("dataset", "network", "recipe")}
    recipe = {key: value for key, value in train.spec["recipe"].items() if key != "curve_points"}
    code = {"network": train.spec["network"], "recipe": recipe}
    return TestedNetwork(record.id, train.spec["seed"], train.spec["test"], {**names, "selection": rule}, code)
