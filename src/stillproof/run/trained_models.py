"""Reads the network that a training cell ended with."""

from __future__ import annotations

from dataclasses import dataclass

from stillproof.core.errors import Corrupt
from stillproof.core.types import Space
from stillproof.run.stage import Job
from stillproof.sets.fronts import front_of
from stillproof.store.artifact_files import Artifact
from stillproof.store.store import Store
from stillproof.train.model import TrainedModel, load_model, space_of
from stillproof.transforms.zca import ZCA


@dataclass(frozen=True)
class ReadModel:
    """A model of the store, and the space that its body sees."""

    model: TrainedModel
    space: Space


def read_trained(cell: str, job: Job) -> ReadModel:
    """Return the model of a training cell after its last epoch, on the device."""
    curve = job.answer_of(cell)
    stored = read_of_training(job.store, curve["models"][str(curve["epochs"][-1])])
    space = space_of(stored.card["space"])
    front = front_of(space, job.store)
    return ReadModel(
        load_model(stored.tensors, stored.card, job.device, front if isinstance(front, ZCA) else None), space
    )


def read_of_training(store: Store, artifact: str) -> Artifact:
    """Return an artifact of a training cell; if it is corrupt, the cell is open again."""
    try:
        return store.artifacts.read(artifact)
    except Corrupt as error:
        if store.reopen_maker(artifact) is None:
            raise
        raise Corrupt(f"{error} The command that trained it trains it again.") from error
