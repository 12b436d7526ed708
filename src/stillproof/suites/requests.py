"""What a suite asks for, by name: requests that the planner turns into cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from stillproof.core.presets import Scale
from stillproof.core.types import Selection

Part = Literal["train", "fit"]  # all training images, or those left when the held-out part is taken away


@dataclass(frozen=True, slots=True)
class DataRequest:
    """The real images of a data set."""

    dataset: str
    part: Part = "train"


@dataclass(frozen=True, slots=True)
class DistillRequest:
    """A distilled set to be made; ``method`` may carry parameters, as in ``dm:steps=100``."""

    data: DataRequest
    method: str
    ipc: int
    seed: int
    network: str = "convnet-3"
    scale: Scale = "paper"


@dataclass(frozen=True, slots=True)
class ArtifactRequest:
    """A distilled set that is already in the store, by its content id.

    ``dataset`` is where it is judged; ``cell`` is the one that made it, if it was made here: training on it is then
    the same question as in a suite that makes it.
    """

    artifact: str
    dataset: str
    cell: str | None = None
    images: int = 0


@dataclass(frozen=True, slots=True)
class TrainRequest:
    """A network to be trained."""

    on: DataRequest | DistillRequest | ArtifactRequest
    network: str
    recipe: str
    seed: int
    heldout: bool = False  # whether the curve also looks at the held-out part


@dataclass(frozen=True, slots=True)
class SelectRequest:
    """The epoch of a training run that counts."""

    train: TrainRequest
    rule: Selection


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a suite's table: what it is about, and the request of each seed."""

    keys: Mapping[str, Any]
    requests: tuple[SelectRequest, ...]
