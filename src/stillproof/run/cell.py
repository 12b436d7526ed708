"""One question of a plan: what a stage says of it, and the cell that this makes."""

from __future__ import annotations

from dataclasses import dataclass, field

from stillproof.core.spec import Json

SPEC_FORMAT = 2


@dataclass(frozen=True, slots=True)
class Planned:
    """What a stage says of one question.

    Args:
        spec: Everything that decides the answer, except for the stage itself.
        label: What people read.
        needs: The cells whose answers it reads.
        flops: The expected work.
        where: What only helps to compute it, such as the name of the data set; others may add hints.
        images: How many images a training sees, if the answer is a set of images for ``where["dataset"]``.
        alone: Whether it measures time, so that no other may run beside it.
        memory: The bytes that it is expected to hold at its peak, beside those of any process.
        disk: The bytes of its artifacts, as far as they can be foreseen.
        open: Whether it is not known yet what it needs besides: that depends on the answers of its ``needs``. It waits
            until those are there and it is planned again.
    """

    spec: Json
    label: str
    needs: tuple[str, ...] = ()
    flops: float = 0.0
    where: Json = field(default_factory=dict)
    images: int | None = None
    alone: bool = False
    memory: float = 0.0
    disk: float = 0.0
    open: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """One question, named by the hash of its spec; the rest is as its stage planned it."""

    id: str
    stage: str
    spec: Json
    where: Json
    needs: tuple[str, ...]
    flops: float
    label: str
    images: int | None = None
    alone: bool = False
    memory: float = 0.0
    disk: float = 0.0
    open: bool = False


@dataclass(frozen=True, slots=True)
class Images:
    """Images to train on: how a spec names them, the cells that make them, how many, and of which data set."""

    spec: Json
    count: int
    dataset: str
    label: str
    needs: tuple[str, ...] = ()
    part: str | None = None  # which real images, if these are real
