"""Reads the network that a training cell ended with."""

from __future__ import annotations

from dataclasses import dataclass

from stillproof.core.errors import Corrupt
from stillproof.core.types import Space
from stillproof.run.stage import Job
from stillproof.sets.teachers import load_stored
from stillproof.store.artifact_files import Artifact
from stillproof.store.store import Store
from stillproof.train.model import TrainedModel, space_of


@dataclass(frozen=True)
class ReadModel:
    """A model of the store, and the space that its body sees."""

    model: TrainedModel
    space: Space


def read_trained(cell: str, job: Job) -> ReadModel:
    """Return the model of a training cell after its last epoch, on the device."""
    stored = read_of_training(job.store, last_model(cell, job))
    return ReadModel(load_stored(stored, job.store, job.device), space_of(stored.card["space"]))


def last_model(cell: str, job: Job) -> str:
    """Return the artifact of the model that a training cell ended with."""
    curve = job.answer_of(cell)
    return str(curve["models"][str(curve["epochs"][-1])])


def read_of_training(store: Store, artifact: str) -> Artifact:
    """Return an artifact of a training cell; if it is corrupt, the cell is open again."""
    try:
        return store.artifacts.read(artifact)
    except Corrupt as error:
        if store.reopen_maker(artifact) is None:
            raise
        raise Corrupt(f"{error} The command that trained it trains it again.") from error
