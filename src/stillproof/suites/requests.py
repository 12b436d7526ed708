"""What a suite asks for, by name: requests that the planner turns into cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from stillproof.core.presets import Scale
from stillproof.core.types import Selection

# All training images, or those left when one of the held-out parts is taken away.
Part = Literal["train", "fit", "search-fit"]
Heldout = Literal["heldout", "search-heldout"]


@dataclass(frozen=True, slots=True)
class DataRequest:
    """The real images of a data set."""

    dataset: str
    part: Part = "train"


@dataclass(frozen=True, slots=True)
class WhitenRequest:
    """The whitening of a data set; ``variant`` is one of ``stillproof.run.zca_cell.WHITENINGS``."""

    data: DataRequest
    variant: str = "usual"


@dataclass(frozen=True, slots=True)
class DistillRequest:
    """A distilled set to be made; ``method`` may carry parameters, as in ``dm:steps=100``."""

    data: DataRequest
    method: str
    ipc: int
    seed: int
    network: str = "convnet-3"
    scale: Scale = "paper"
    snapshots: tuple[int, ...] = ()  # steps at which the images are kept besides the result


@dataclass(frozen=True, slots=True)
class SnapshotRequest:
    """A distilled set as it was on the way, after ``step`` of the steps at which it keeps its images."""

    of: DistillRequest
    step: int


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

    on: DataRequest | DistillRequest | SnapshotRequest | ArtifactRequest
    network: str
    recipe: str
    seed: int
    heldout: Heldout | None = None  # the part that the curve also looks at


@dataclass(frozen=True, slots=True)
class SelectRequest:
    """The epoch of a training run that counts."""

    train: TrainRequest
    rule: Selection


@dataclass(frozen=True, slots=True)
class CostRequest:
    """What a distilled set takes to make, timed alone over ``steps`` steps."""

    of: DistillRequest
    steps: int


@dataclass(frozen=True, slots=True)
class CoverageRequest:
    """How much of the real images a distilled set covers, in the features of a network trained on them."""

    of: DistillRequest
    model: TrainRequest


@dataclass(frozen=True, slots=True)
class MapRequest:
    """The plane on which real and distilled images of one class lie, in the features of a network."""

    sets: tuple[DistillRequest, ...]
    model: TrainRequest
    label: int


@dataclass(frozen=True, slots=True)
class TruthRequest:
    """What is published of architectures of NAS-Bench-201, in a source that ``source`` names."""

    networks: tuple[str, ...]
    source: Literal["table", "hpo-bench"] = "table"


Request = (
    WhitenRequest
    | DistillRequest
    | TrainRequest
    | SelectRequest
    | CostRequest
    | CoverageRequest
    | MapRequest
    | TruthRequest
)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a suite's table: what it is about, and the request of each seed.

    One that ``may_be_too_large`` has no answer where the data set has too few images; any other is then refused.
    """

    keys: Mapping[str, Any]
    requests: tuple[Request, ...]
    may_be_too_large: bool = False
