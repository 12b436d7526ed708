"""Finds the model that a person means: one of the store, an artifact folder, or a third-party checkpoint."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Protocol

from stillproof.answers import Score
from stillproof.core.components import networks
from stillproof.core.errors import BadInput
from stillproof.core.model_card import check_model_card
from stillproof.data.load import source
from stillproof.image_finder import is_foreign
from stillproof.importers.detect import is_model
from stillproof.importers.import_model import ImportedModel
from stillproof.run.attacked_model import check_same_data
from stillproof.store.artifact_files import read_folder
from stillproof.store.store import Store
from stillproof.suites.requests import Request
from stillproof.train.model import data_info, network_of

log = logging.getLogger("stillproof")

GivenModel = str | Path | ImportedModel | Score | Request
KINDS = "the name, id, folder or file of a model, what import_model returned, a score of one network, or a request"


class TakesModels(Protocol):
    """What has a store and can import checkpoints into it: a session."""

    @property
    def store(self) -> Store:
        """Return the store."""
        ...

    def import_model(self, path: Path | str, dataset: str, network: str = "") -> ImportedModel:
        """Import a third-party checkpoint."""
        ...


def find_model(session: TakesModels, given: GivenModel, dataset: str, network: str = "") -> Request:
    """Return the model that is meant, to be attacked on a data set; ``network`` is that of a third-party checkpoint.

    Raises:
        BadInput: It is no model, or one for another data set.
    """
    if isinstance(given, Request):
        return given
    store, text = session.store, _text_of(given)
    if is_foreign(text):
        artifact = _imported(session, Path(text), dataset, network)
    elif network:
        raise BadInput(f"{text} itself says what its network is: leave out network {network!r}.")
    elif Path(text, "card.json").is_file():
        artifact = _from_folder(store, Path(text))
    else:
        artifact = store.resolve_artifact(text, "model")
    found = store.artifacts.read(artifact)
    check_model_card(found.card)
    check_same_data(data_info(found.card["info"]), source(dataset).info)
    return Request(
        "model",
        artifact=artifact,
        network=networks.reference(network_of(found.tensors, found.card)),
        cell=_maker(store, artifact),
        name=store.names_of([artifact], "model").get(artifact) or artifact[:12],
    )


def _text_of(given: str | Path | ImportedModel | Score) -> str:
    match given:
        case str() | Path():
            return str(given)
        case ImportedModel():
            return given.artifact
        case Score():
            if len(given.models) > 1:
                raise BadInput(f"this score is of {len(given.models)} networks: name one, such as score.models[0].")
            return given.models[0]
        case _:
            raise BadInput(f"a value of type {type(given).__name__} is not a model: give {KINDS}.")


def _imported(session: TakesModels, path: Path, dataset: str, network: str) -> str:
    if not is_model(path):
        raise BadInput(f"{path} is not a model's checkpoint, so it cannot be attacked: name a model.")
    made = session.import_model(path, dataset, network)
    for sentence in made.found:
        log.info("found: %s", sentence)
    return made.artifact


def _from_folder(store: Store, folder: Path) -> str:
    found = read_folder(folder)
    if found.kind != "model":
        raise BadInput(f"{folder} is an artifact of kind {found.kind!r}, not a model: name another.")
    return store.keep_folder(folder)


def _maker(store: Store, artifact: str) -> str | None:
    """Return what a model came from: its training if its last epoch counts, else the choice of its epoch, if any."""
    train = store.cell_of(artifact)
    record = store.results.get(train) if train else None
    curve = record.result if record is not None and record.stage == "train" else None
    if record is None or not curve or artifact not in curve["models"].values():
        return None
    if curve["models"][str(curve["epochs"][-1])] == artifact:
        return record.id
    chosen = [cell for cell, spec in store.results.specs("select").items() if spec["train"] == record.id]
    answers = store.results.get_many(sorted(chosen)).values()
    return next((answer.id for answer in answers if (answer.result or {}).get("model") == artifact), None)
